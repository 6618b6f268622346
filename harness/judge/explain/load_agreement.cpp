#include "harness/judge/explain/load_agreement.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/replay/plan.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

constexpr const char* kFailsAtHome = "the release that exported it refuses it too";
constexpr const char* kCallDropped = "XLA drops a call whose results hold no element";

constexpr WouldLoad kAnswers[] = {WouldLoad::kYes, WouldLoad::kNo, WouldLoad::kCannotTell};

// None: it does not say.
std::optional<bool> loaded(const OutcomeRecord& outcome) {
  if (isEmulated(outcome.platform)) return std::nullopt;
  switch (outcome.outcome) {
    case OutcomeKind::kPass:
    case OutcomeKind::kMismatch:
    case OutcomeKind::kCompiled:
    case OutcomeKind::kNotComparable:
      return true;
    case OutcomeKind::kError:
    case OutcomeKind::kUnsupported:
      return outcome.stage == Stage::kRun || outcome.stage == Stage::kCompare;
    default:
      return std::nullopt;
  }
}

class Comparer {
 public:
  Comparer(const Archive& archive, const std::vector<BuildRecord>& builds) : archive_(archive) {
    for (const BuildRecord& build : builds)
      if (const std::string producer = producerName(build); !producer.empty())
        homes_[producer].push_back(build.name);
  }

  Status compareOn(const BuildRecord& build) {
    OutcomeFilter filter;
    filter.builds = {build.name};
    std::map<std::string, LoadDisagreement> disagreements;  // By the answer with its reasons.
    Status problem;
    RETURN_IF_ERROR(archive_.forEachOutcome(filter, [&](const OutcomeRecord& outcome) {
      problem = take(build, outcome, disagreements);
      return problem.has_value();
    }));
    RETURN_IF_ERROR(problem);
    for (auto& [key, one] : disagreements) out_.disagreements.push_back(std::move(one));
    return {};
  }

  LoadAgreement finish() { return std::move(out_); }

 private:
  Status take(const BuildRecord& build, const OutcomeRecord& outcome,
              std::map<std::string, LoadDisagreement>& disagreements) {
    const auto didLoad = loaded(outcome);
    if (!didLoad) {
      ++out_.sayNothing;
      return {};
    }
    if (!*didLoad && !outcome.limitation.empty()) {
      ++out_.declared;
      return {};
    }
    ASSIGN_OR_RETURN(const ArtifactRecord* artifact, artifactOf(outcome.artifact));
    const LoadAnswer answer = wouldLoad(*artifact, build);
    LoadAgreement::Row& row = out_.rows[static_cast<size_t>(answer.answer)];
    ++(*didLoad ? row.loaded : row.refused);
    if (answer.answer == WouldLoad::kCannotTell || (answer.answer == WouldLoad::kYes) == *didLoad)
      return {};
    ASSIGN_OR_RETURN(const std::string cause, knownCause(*artifact, build, *didLoad));
    if (!cause.empty()) {
      ++out_.explained[cause];
      return {};
    }
    // Refusals are grouped by their message, loads by the reasons why they should not load.
    const std::string key =
        *didLoad ? fmt::format("{}", fmt::join(answer.reasons, "; "))
                 : fmt::format("{} {}", stageName(outcome.stage), outcome.detail.substr(0, 80));
    const auto place = disagreements.try_emplace(
        key, LoadDisagreement{build.name, artifact->name, artifact->producer, answer, outcome});
    ++place.first->second.outcomes;
    return {};
  }

  // Empty: none is known.
  Result<std::string> knownCause(const ArtifactRecord& artifact, const BuildRecord& build,
                                 bool didLoad) {
    if (!didLoad) {
      ASSIGN_OR_RETURN(const bool refused, refusedAtHome(artifact));
      return std::string(refused ? kFailsAtHome : "");
    }
    if (!readsByXla(build) || artifact.golden.empty()) return std::string();
    ArtifactRecord butTargets = artifact;
    butTargets.customCallTargets.clear();
    if (wouldLoad(butTargets, build).answer == WouldLoad::kNo) return std::string();
    ASSIGN_OR_RETURN(const Golden golden, archive_.readGolden(artifact));
    const bool holdsEmpty = std::ranges::any_of(
        golden.expected, [](const Tensor& output) { return output.size() == 0; });
    return std::string(holdsEmpty ? kCallDropped : "");
  }

  // Whether the release that exported it refuses it too.
  Result<bool> refusedAtHome(const ArtifactRecord& artifact) {
    const auto [place, isNew] = refusedAtHome_.try_emplace(artifact.id, false);
    const auto home = homes_.find(artifact.producer);
    if (!isNew || home == homes_.end()) return place->second;
    OutcomeFilter filter;
    filter.builds = home->second;
    filter.artifacts = {artifact.id};
    RETURN_IF_ERROR(archive_.forEachOutcome(filter, [&](const OutcomeRecord& outcome) {
      place->second |= loaded(outcome) == false;
      return !place->second;
    }));
    return place->second;
  }

  // Any artifact with these bytes: loading depends on nothing else.
  Result<const ArtifactRecord*> artifactOf(const ContentId& id) {
    const auto [place, isNew] = artifacts_.try_emplace(id);
    if (isNew) {
      ASSIGN_OR_RETURN(place->second, archive_.find(id));
    }
    return &place->second;
  }

  const Archive& archive_;
  std::map<ContentId, ArtifactRecord> artifacts_;
  std::map<std::string, std::vector<std::string>> homes_;  // Builds, by what they export as.
  std::map<ContentId, bool> refusedAtHome_;                // The answers so far.
  LoadAgreement out_;
};

}  // namespace

int64_t LoadAgreement::outcomes() const {
  int64_t sum = 0;
  for (const Row& row : rows) sum += row.loaded + row.refused;
  return sum;
}

Result<LoadAgreement> compareLoading(const Archive& archive) {
  ASSIGN_OR_RETURN(auto builds, registeredBuilds(archive));
  Comparer comparer(archive, builds);
  for (const BuildRecord& build : builds) RETURN_IF_ERROR(comparer.compareOn(build));
  return comparer.finish();
}

nlohmann::json toJson(const LoadAgreement& agreement) {
  nlohmann::json rows = nlohmann::json::array(), disagreements = nlohmann::json::array();
  for (const WouldLoad answer : kAnswers)
    rows.push_back({{"would_load", wouldLoadName(answer)},
                    {"loaded", agreement.row(answer).loaded},
                    {"refused", agreement.row(answer).refused}});
  for (const LoadDisagreement& one : agreement.disagreements)
    disagreements.push_back({{"build", one.build},
                             {"artifact", one.artifact},
                             {"producer", one.producer},
                             {"would_load", wouldLoadName(one.answer.answer)},
                             {"reasons", one.answer.reasons},
                             {"outcome", outcomeName(one.outcome.outcome)},
                             {"stage", stageName(one.outcome.stage)},
                             {"detail", one.outcome.detail},
                             {"outcomes", one.outcomes}});
  return {{"rows", rows},
          {"say_nothing", agreement.sayNothing},
          {"declared", agreement.declared},
          {"explained", agreement.explained},
          {"disagreements", disagreements}};
}

std::string agreementText(const LoadAgreement& agreement, size_t longest) {
  std::string text = fmt::format("{:<12} {:>8} {:>8}\n", "would load", "loaded", "refused");
  for (const WouldLoad answer : kAnswers)
    text += fmt::format("{:<12} {:>8} {:>8}\n", wouldLoadName(answer), agreement.row(answer).loaded,
                        agreement.row(answer).refused);
  text += fmt::format("{} outcomes do not say whether it loaded; {} were refused as declared\n",
                      agreement.sayNothing, agreement.declared);
  for (const auto& [cause, outcomes] : agreement.explained)
    text += fmt::format("{} outcomes disagree as explained: {}\n", outcomes, cause);
  size_t listed = 0;
  for (const LoadDisagreement& one : agreement.disagreements) {
    if (listed++ == longest) break;
    const bool ran = one.answer.answer == WouldLoad::kNo;
    text += fmt::format(
        "DISAGREES {}: {} outcomes, the first of {} ({})\n  {}\n", one.build, one.outcomes,
        one.artifact, one.producer,
        ran ? fmt::format("it ran, and would not load: {}", fmt::join(one.answer.reasons, "; "))
            : fmt::format("it would load, and was refused in {}: {}", stageName(one.outcome.stage),
                          one.outcome.detail));
  }
  if (agreement.disagreements.size() > longest)
    text += fmt::format("and {} more; --format json has all of them\n",
                        agreement.disagreements.size() - longest);
  return text;
}

}  // namespace vintage::harness
