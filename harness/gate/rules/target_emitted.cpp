// A target that exports begin to call: not before consumers have it for 21 days.
#include <algorithm>

#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

using std::chrono::days;

// D: since when consumers have the target, as far as the descriptions say.
Date introduced(const Change& change, const RegisteredTarget& target,
                const RegisteredTarget* before) {
  if (target.since) return *target.since;
  if (before == nullptr) return change.today;
  return before->since.value_or(change.before.buildDate);
}

Result<std::vector<ArtifactRecord>> artifactsCalling(const Change& change,
                                                     const RegisteredTarget& target, Date from,
                                                     Date until) {
  ArtifactFilter filter;
  filter.customCallTargets = {target.name};
  if (target.platform != "any") filter.platforms = {target.platform};
  filter.builtFrom = from;
  filter.builtUntil = change.hindsight ? until : std::min(until, change.today);
  return change.archive->artifacts(filter);
}

// The description says from when on exports call it.
Status judgeToldDay(const Change& change, const RegisteredTarget& target, Date since,
                    std::vector<Finding>& findings) {
  const Date emitted = target.exportedSince.value_or(change.today);
  LegalDate legal =
      after(since, fmt::format("consumers have {} since then", target.name), change.forward());
  std::vector<std::string> consumers;
  for (const RuntimeDescription& build : change.builds) {
    if (!build.holdsRuntime() || !build.knowsTargets() || build.hasTarget(target.name)) continue;
    if (!change.forward().consumers(emitted).contains(build.day())) continue;
    consumers.push_back(build.name);
    const LegalDate gone =
        outOfWindow(build.day(), build.name + ", which lacks it", change.forward());
    if (legal.date < gone.date) legal = gone;
  }
  if (emitted >= legal.date) return {};
  ASSIGN_OR_RETURN(auto artifacts, artifactsCalling(change, target, emitted, legal.date - days(1)));
  Finding finding = findingOf(
      "target-emitted-early", instanceOf(target),
      fmt::format(
          "Exports call '{}' from {} on, {} days too early: a consumer built up to {} before "
          "must have it. Lower to the old target in forward-compatibility mode until then.",
          target.name, formatDate(emitted), (legal.date - emitted).count(),
          change.forward().span()));
  finding.legal = legal;
  finding.artifacts = std::move(artifacts);
  finding.consumers = std::move(consumers);
  reportAt(target.name, false, std::move(finding), findings);
  return {};
}

// It does not, but what lies in the archive may.
Status judgeArtifacts(const Change& change, const RegisteredTarget& target, Date since,
                      std::vector<Finding>& findings) {
  const LegalDate legal =
      after(since, fmt::format("consumers have {} since then", target.name), change.forward());
  ASSIGN_OR_RETURN(auto artifacts,
                   artifactsCalling(change, target, change.backward().producers(since).first,
                                    legal.date - days(1)));
  if (artifacts.empty()) return {};
  Finding finding = findingOf(
      "target-emitted-early", instanceOf(target),
      fmt::format("{} built before {} call{} '{}', which consumers have since {}. Exports "
                  "began too early, or these were made with forward compatibility switched off.",
                  artifactCount(artifacts.size()), formatDate(legal.date),
                  artifacts.size() == 1 ? "s" : "", target.name, formatDate(since)));
  // Nobody knows that about the past any more; today its author does.
  finding.severity = change.hindsight ? GateResult::kAllowed : GateResult::kNeedsReview;
  finding.legal = legal;
  finding.artifacts = std::move(artifacts);
  reportAt(target.name, false, std::move(finding), findings);
  return {};
}

}  // namespace

Status checkTargetEmittedEarly(const Change& change, std::vector<Finding>& findings) {
  if (factsDecide(change)) return {};  // They know better.
  for (const RegisteredTarget& target : change.after.targets) {
    const RegisteredTarget* before = change.find(change.before, target.name, target.platform);
    const Date since = introduced(change, target, before);
    Status status;
    if (target.exported == true) {
      const bool wasSo = before != nullptr && before->exported == true &&
                         before->exportedSince == target.exportedSince;
      if (!wasSo) status = judgeToldDay(change, target, since, findings);
    } else if (!target.exported && before == nullptr) {
      status = judgeArtifacts(change, target, since, findings);
    }
    if (!status) return status;
  }
  return {};
}

}  // namespace vintage::harness
