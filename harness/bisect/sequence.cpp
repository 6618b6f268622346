#include "harness/bisect/sequence.h"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/ranges.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/package_version.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/builds/product.h"

namespace vintage::harness {
using namespace archive;

namespace {

// Platforms of the builds; without builds, the likeliest platforms of commits.
std::set<std::string> platformsOf(const std::vector<BuildRecord>& builds) {
  std::set<std::string> platforms;
  for (const BuildRecord& build : builds)
    platforms.insert(build.platforms.begin(), build.platforms.end());
  if (platforms.empty()) platforms.insert("cpu");
  return platforms;
}

// The requested platform, else the first that runs, else the first.
std::string platformFor(const ArtifactRecord& record, const SubjectChoice& choice,
                        const std::set<std::string>& running) {
  if (!choice.platform.empty()) return choice.platform;
  for (const std::string& platform : record.platforms)
    if (running.contains(platform)) return platform;
  return record.platforms.empty() ? "" : record.platforms.front();
}

// Without a requested mode, one that the builds have: real runtimes compile.
std::string modeFor(const SubjectChoice& choice, const std::vector<BuildRecord>& builds,
                    const std::string& platform) {
  if (!choice.mode.empty()) return choice.mode;
  const BuildRecord* searched = nullptr;
  for (const BuildRecord& build : builds) {
    if (std::ranges::count(build.platforms, platform) == 0) continue;
    searched = &build;
    if (build.name == choice.build) break;
  }
  if (!searched || searched->modes.empty() || std::ranges::count(searched->modes, "graph") > 0)
    return "graph";
  return searched->modes.front();
}

// Imported artifacts have no case of ours: their name says which case of their producer they are.
bool isOfCase(const ArtifactRecord& record, const std::string& caseId) {
  return record.caseId.empty() ? record.name == caseId : record.caseId == caseId;
}

Result<ArtifactRecord> newestOfCase(const Archive& archive, const SubjectChoice& choice,
                                    const std::set<std::string>& running) {
  std::optional<ArtifactRecord> newest, newestThatRuns;
  RETURN_IF_ERROR(archive.forEach({}, [&](const ArtifactRecord& record) {
    const std::string platform = platformFor(record, choice, running);
    if (!isOfCase(record, choice.caseId) || std::ranges::count(record.platforms, platform) == 0)
      return true;
    newest = record;
    if (running.contains(platform)) newestThatRuns = record;
    return true;
  }));
  if (newestThatRuns) return *newestThatRuns;
  if (newest) return *newest;
  return notFound(
      "--case: the archive has no artifact of the case '{}'{}; 'vintage list' shows what there is",
      choice.caseId, choice.platform.empty() ? "" : " for " + choice.platform);
}

std::optional<size_t> findEnd(const std::vector<BuildRecord>& builds, const std::string& wanted) {
  for (size_t i = 0; i < builds.size(); ++i)
    if (builds[i].name == wanted) return i;
  const auto date = parseDate(wanted);
  if (!date) return std::nullopt;
  std::optional<size_t> newest;
  for (size_t i = 0; i < builds.size(); ++i)
    if (builds[i].buildDate <= *date) newest = i;
  return newest;
}

// `products`: of all builds of the archive, by name.
Result<size_t> endNamed(const std::vector<BuildRecord>& builds, const std::string& wanted,
                        const char* option, const std::map<std::string, std::string>& products) {
  if (const auto found = findEnd(builds, wanted)) return *found;
  if (const auto other = products.find(wanted); other != products.end())
    return usageError(
        "{}: '{}' is a build of {}, and the search goes over builds of {}; give ends "
        "of one product",
        option, wanted, other->second, productOf(builds.front().name));
  std::vector<std::string> names;
  for (const BuildRecord& build : builds) names.push_back(build.name);
  const bool isCommitId =
      wanted.size() >= 7 && wanted.find_first_not_of("0123456789abcdef") == wanted.npos;
  constexpr size_t kShown = 12;
  if (names.size() > kShown) {
    names.erase(names.begin(), names.end() - kShown);
    names.front() = "…";
  }
  return notFound(
      "{}: '{}' is not a build of the archive, nor a day on or after its first one{}; the newest "
      "are: {}",
      option, wanted, isCommitId ? " (commits are searched with --repo)" : "",
      fmt::join(names, ", "));
}

// The order of builds of one day is known if their commit times, or else their versions, differ.
bool isOrderKnown(const BuildRecord& one, const BuildRecord& next) {
  if (one.buildDate != next.buildDate) return true;
  const auto momentOf = [](const BuildRecord& build) {
    return build.details.commit ? build.details.commit->time : std::string();
  };
  if (!momentOf(one).empty() && !momentOf(next).empty()) return momentOf(one) != momentOf(next);
  const auto version = parsePackageVersion(one.version), other = parsePackageVersion(next.version);
  return version && other && *version != *other;
}

}  // namespace

Result<Subject> loadSubject(const Archive& archive, const SubjectChoice& choice) {
  ASSIGN_OR_RETURN(auto builds, ownBuilds(archive));
  std::erase_if(builds, [](const BuildRecord& build) { return !canStart(build); });
  const std::set<std::string> running = platformsOf(builds);
  ASSIGN_OR_RETURN(auto record, choice.artifact.empty() ? newestOfCase(archive, choice, running)
                                                        : archive.find(choice.artifact));
  Subject subject;
  subject.record = std::move(record);
  const std::vector<std::string>& platforms = subject.record.platforms;
  subject.platform = platformFor(subject.record, choice, running);
  subject.mode = modeFor(choice, builds, subject.platform);
  if (std::ranges::count(platforms, subject.platform) == 0)
    return usageError("--platform: {} was lowered for {}, not for {}", subject.record.name,
                      fmt::join(platforms, ", "), subject.platform);
  if (subject.record.golden.empty())
    return usageError(
        "{} has no golden: bisect needs expected outputs to distinguish good builds from bad ones",
        subject.record.name);
  ASSIGN_OR_RETURN(subject.artifact, archive.read(subject.record.id));
  ASSIGN_OR_RETURN(subject.golden, archive.readGolden(subject.record));
  // The search is for the build whose values became others, whoever is right.
  subject.golden.second.reset();
  return subject;
}

SequenceMember memberOf(const BuildRecord& build) {
  const BuildDetails& details = build.details;
  return {
      build.name,
      contentHash(details.program.empty() ? details.commandHash : details.program).substr(0, 16)};
}

std::vector<SequenceMember> BuildSequence::members() const {
  std::vector<SequenceMember> result;
  for (const BuildRecord& build : builds) result.push_back(memberOf(build));
  return result;
}

Result<BuildSequence> chooseBuilds(const Archive& archive, const Subject& subject,
                                   const SequenceChoice& choice) {
  ASSIGN_OR_RETURN(auto builds, ownBuilds(archive));
  if (builds.empty())
    return notFound(
        "the archive knows no builds; 'vintage builds' registers some, and with --repo commits are "
        "searched");
  // A named end determines the product.
  std::string product;
  for (const std::string& end : {choice.bad, choice.good})
    for (const BuildRecord& build : builds)
      if (product.empty() && build.name == end) product = productOf(end);
  if (product.empty())
    for (const BuildRecord& build : builds)
      if (canStart(build) && lists(build.platforms, subject.platform) &&
          lists(build.modes, subject.mode))
        product = productOf(build.name);
  if (product.empty())
    for (const BuildRecord& build : builds)
      if (canStart(build)) product = productOf(build.name);
  if (product.empty())
    return ioError(
        "none of the {} builds of the archive can be started here; 'vintage builds' lists them",
        builds.size());

  BuildSequence sequence;
  std::map<std::string, std::string> products;
  for (BuildRecord& build : builds) {
    std::string& own = products[build.name] = productOf(build.name);
    if (own == product) sequence.builds.push_back(std::move(build));
  }
  sequence.problem.count = sequence.builds.size();
  for (const BuildRecord& build : sequence.builds)
    sequence.problem.untestable.push_back(!canStart(build));
  for (size_t i = 0; i < sequence.builds.size(); ++i)
    sequence.problem.unordered.push_back(i > 0 &&
                                         !isOrderKnown(sequence.builds[i - 1], sequence.builds[i]));
  const auto resolve = [&](const std::string& wanted, const char* option,
                           std::optional<size_t>& end) -> Status {
    if (wanted.empty()) return {};
    ASSIGN_OR_RETURN(end, endNamed(sequence.builds, wanted, option, products));
    return {};
  };
  RETURN_IF_ERROR(resolve(choice.good, "--good", sequence.problem.good));
  RETURN_IF_ERROR(resolve(choice.bad, "--bad", sequence.problem.bad));
  if (sequence.problem.good && sequence.problem.bad &&
      *sequence.problem.good >= *sequence.problem.bad)
    return usageError(
        "--good {} is not older than --bad {}: the search goes from a good build to a younger bad "
        "one",
        sequence.builds[*sequence.problem.good].name, sequence.builds[*sequence.problem.bad].name);
  return sequence;
}

Result<std::vector<Round>> recordedOutcomes(const Archive& archive, const Subject& subject,
                                            const BuildSequence& sequence,
                                            const std::set<std::string>& journaled) {
  OutcomeFilter filter;
  filter.artifacts = {subject.record.id};
  filter.platforms = {subject.platform};
  filter.modes = {subject.mode};
  filter.latestOnly = false;
  filter.ownOnly = true;
  ASSIGN_OR_RETURN(auto outcomes, archive.outcomes(filter));
  std::map<std::string, size_t> positionOf;
  for (size_t i = 0; i < sequence.builds.size(); ++i) positionOf[sequence.builds[i].name] = i;
  Round known;
  known.purpose = RoundPurpose::kKnown;
  for (const OutcomeRecord& outcome : outcomes) {
    const auto place = positionOf.find(outcome.build);
    if (place == positionOf.end() || outcome.golden != subject.record.golden ||
        outcome.outcome == OutcomeKind::kRunnerError || journaled.contains(outcome.run))
      continue;
    known.answers[place->second].processes.push_back(
        {failureKind(outcome.outcome, outcome.stage, outcome.detail)});
  }
  for (const auto& [position, answer] : known.answers) known.positions.push_back(position);
  if (known.answers.empty()) return std::vector<Round>{};
  return std::vector<Round>{known};
}

}  // namespace vintage::harness
