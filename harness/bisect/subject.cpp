#include "harness/bisect/subject.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "harness/builds/builds.h"

namespace vintage::harness::bisect {
namespace {

// Platforms of the builds; without any, what commits are most likely built for.
std::set<std::string> platformsOf(const std::vector<BuildRecord>& builds) {
  std::set<std::string> platforms;
  for (const BuildRecord& build : builds)
    platforms.insert(build.platforms.begin(), build.platforms.end());
  if (platforms.empty()) platforms.insert("cpu");
  return platforms;
}

// The one that was asked for, else the first that runs, else the first.
std::string platformFor(const ArtifactRecord& record, const SubjectChoice& choice,
                        const std::set<std::string>& running) {
  if (!choice.platform.empty()) return choice.platform;
  for (const std::string& platform : record.platforms)
    if (running.contains(platform)) return platform;
  return record.platforms.empty() ? "" : record.platforms.front();
}

// A search that never asks for a mode means one that its builds have: real runtimes compile.
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

// What was imported has no case of ours: there its name says which case of its maker it is.
bool isOfCase(const ArtifactRecord& record, const std::string& caseId) {
  return record.caseId.empty() ? record.name == caseId : record.caseId == caseId;
}

Result<ArtifactRecord> newestOfCase(const Archive& archive, const SubjectChoice& choice,
                                    const std::set<std::string>& running) {
  std::optional<ArtifactRecord> newest, newestThatRuns;
  Status status = archive.forEach({}, [&](const ArtifactRecord& record) {
    const std::string platform = platformFor(record, choice, running);
    if (!isOfCase(record, choice.caseId) || std::ranges::count(record.platforms, platform) == 0)
      return true;
    newest = record;
    if (running.contains(platform)) newestThatRuns = record;
    return true;
  });
  if (!status) return tl::unexpected<Error>(status.error());
  if (newestThatRuns) return *newestThatRuns;
  if (newest) return *newest;
  return notFound(
      "--case: the archive has no artifact of the case '{}'{}; 'vintage list' shows what there is",
      choice.caseId, choice.platform.empty() ? "" : " for " + choice.platform);
}

}  // namespace

Result<Subject> loadSubject(const Archive& archive, const SubjectChoice& choice) {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
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
        "{} has no golden: bisect needs expected outputs to know a good build from a bad one",
        subject.record.name);
  ASSIGN_OR_RETURN(subject.artifact, archive.read(subject.record.id));
  ASSIGN_OR_RETURN(subject.golden, archive.readGolden(subject.record));
  return subject;
}

}  // namespace vintage::harness::bisect
