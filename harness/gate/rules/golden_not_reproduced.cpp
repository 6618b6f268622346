// The values that a target computes are its contract too: goldens of the window
// that call it must reproduce on the changed runtime.
#include <algorithm>
#include <map>
#include <set>

#include "golden/base/typed_words.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

bool fails(const OutcomeRecord& outcome) {
  return outcome.limitation.empty() && isFailure(outcome.outcome) &&
         outcome.outcome != OutcomeKind::kRunnerError;
}

std::set<std::string_view> namesOf(const auto& targets) {
  std::set<std::string_view> names;
  for (const auto& target : targets) names.insert(target.name);
  return names;
}

// Whether the archive's outcomes under the name of `description` are of its program. Two
// descriptions of one name are distinguished by the targets that the registered build has; if these
// do not differ, the outcomes belong to neither for sure.
bool isRecordedOn(const Change& change, const RuntimeDescription& description,
                  const RuntimeDescription& other) {
  if (description.name != other.name || description.targets == other.targets) return true;
  const auto build = std::ranges::find(change.builds, description.name, &RuntimeDescription::name);
  if (build == change.builds.end()) return false;
  const auto registered =
      build->targets.empty() ? namesOf(build->stableTargets) : namesOf(build->targets);
  return registered == namesOf(description.targets) && registered != namesOf(other.targets);
}

Result<std::vector<OutcomeRecord>> outcomesOf(const Change& change,
                                              const RuntimeDescription& description,
                                              const RuntimeDescription& other) {
  if (!isRecordedOn(change, description, other)) return std::vector<OutcomeRecord>();
  return change.archive->outcomes(description.name);
}

// (artifact, platform, mode)
using Place = std::tuple<ContentId, std::string, std::string>;

}  // namespace

Status checkGoldenNotReproduced(const Change& change, std::vector<Finding>& findings) {
  constexpr const char* kRule = "golden-not-reproduced";
  ASSIGN_OR_RETURN(auto now, outcomesOf(change, change.after, change.before));
  if (now.empty()) {
    note(findings, kRule, change.after.name,
         "The archive holds no outcomes of the changed build '{}', so this was not judged. "
         "Register it{} and replay the window on it first: vintage replay --build {}",
         change.after.name,
         change.before.name == change.after.name ? " under a name of its own" : "",
         shellWord(change.after.name));
    return {};
  }
  ASSIGN_OR_RETURN(auto then, outcomesOf(change, change.before, change.after));
  std::map<Place, const OutcomeRecord*> before;
  for (const OutcomeRecord& outcome : then)
    before[{outcome.artifact, outcome.platform, outcome.mode}] = &outcome;

  ASSIGN_OR_RETURN(auto artifacts, change.archive->artifacts(windowFilter(change)));
  std::map<ContentId, const ArtifactRecord*> inWindow;
  for (const ArtifactRecord& artifact : artifacts)
    if (!artifact.customCallTargets.empty()) inWindow[artifact.id] = &artifact;

  struct Failures {
    std::map<ContentId, const ArtifactRecord*> artifacts;
    const OutcomeRecord* first = nullptr;
  };
  std::map<const RegisteredTarget*, Failures> failing;
  for (const OutcomeRecord& outcome : now) {
    const auto artifact = inWindow.find(outcome.artifact);
    if (artifact == inWindow.end() || !fails(outcome)) continue;
    const auto earlier = before.find({outcome.artifact, outcome.platform, outcome.mode});
    if (earlier != before.end() && fails(*earlier->second))
      continue;  // It failed before the change.
    for (const std::string& name : artifact->second->customCallTargets) {
      const RegisteredTarget* target = change.find(change.after, name, outcome.platform);
      if (target == nullptr || change.find(change.before, name, outcome.platform) == nullptr)
        continue;
      Failures& entry = failing[target];
      entry.artifacts[outcome.artifact] = artifact->second;
      if (entry.first == nullptr) entry.first = &outcome;
    }
  }
  for (const RegisteredTarget& target : change.after.targets) {  // In their order.
    const auto found = failing.find(&target);
    if (found == failing.end()) continue;
    const Failures& failures = found->second;
    const bool isOne = failures.artifacts.size() == 1;
    Finding& finding =
        report(findings, kRule, placeOf(target),
               "{} that call{} '{}' no longer reproduce{} on '{}'; the first: {} in stage {}: {}. "
               "Register the new function as a target of its own.",
               counted(failures.artifacts.size(), "artifact"), isOne ? "s" : "", target.name,
               isOne ? "s" : "", change.after.name, outcomeName(failures.first->outcome),
               stageName(failures.first->stage), failures.first->detail);
    if (!isGuaranteed(change, target.name)) finding.severity = GateResult::kNeedsReview;
    for (const auto& [id, artifact] : failures.artifacts) finding.artifacts.push_back(*artifact);
  }
  return {};
}

}  // namespace vintage::harness
