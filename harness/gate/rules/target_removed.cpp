// Custom-call targets that are removed: not while artifacts of the window call them, and not before
// the release that brought the successor is 180 days old. Targets that exports begin to call: not
// before consumers have had them for 21 days.
#include <algorithm>

#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

using std::chrono::days;

constexpr const char* kRemovedEarly = "target-removed-early";
constexpr const char* kEmittedEarly = "target-emitted-early";

// On OLD's list of guaranteed targets and not on NEW's, and in no registry: the list is then the
// only known fact about it.
bool leavesTheList(const Change& change, const StableTarget& target) {
  if (factsDecide(change)) return false;  // More is known than the list.
  const auto named = [&](const RegisteredTarget& registered) {
    return registered.name == target.name;
  };
  return change.stable(change.after, target.name) == nullptr &&
         std::ranges::none_of(change.before.targets, named) &&
         std::ranges::none_of(change.after.targets, named);
}

// Targets that the change removes, once for each platform that loses them.
std::vector<RegisteredTarget> removedTargets(const Change& change) {
  std::vector<RegisteredTarget> out;
  for (const RegisteredTarget& target : change.before.targets) {
    if (change.find(change.after, target.name, target.platform) != nullptr) continue;
    const bool elsewhere = std::ranges::any_of(
        change.after.targets, [&](const auto& other) { return other.name == target.name; });
    if (target.platform != "any" || !elsewhere) {
      out.push_back(target);
      continue;
    }
    for (const std::string& platform : change.before.platforms)
      if (change.find(change.after, target.name, platform) == nullptr)
        out.emplace_back(target).platform = platform;
  }
  for (const StableTarget& target : change.before.stableTargets)
    if (leavesTheList(change, target)) out.emplace_back().name = target.name;
  return out;
}

// The process for T and its successor T_NEW: release + 180 days.
LegalDate removalAfterSuccessor(const Change& change, const RegisteredTarget& successor) {
  // D, the day on which T_NEW came into consumers.
  const Date from = successor.since.value_or(
      change.was(successor) != nullptr ? change.before.buildDate : change.today);
  if (const RuntimeDescription* release = change.firstRelease(from, successor.name))
    return after(release->day(), release->name + ", the first release with its successor",
                 change.backward());
  return after(change.today, "no release holds its successor yet; if one did today",
               change.backward());
}

// `date` is the day of the removal: today, or the announced one.
void judgeRemovalDay(const Change& change, const RegisteredTarget& target, Date date,
                     std::vector<Finding>& findings) {
  const RuntimeDescription* last = change.lastReleaseWith(target.name, change.today);
  if (last == nullptr) return;  // No release ever held it, so no promise covers it.
  const RegisteredTarget* successor = change.successorOf(target.name);
  const LegalDate legal =
      successor != nullptr
          ? removalAfterSuccessor(change, *successor)
          : outOfWindow(last->day(), last->name + ", the last release with it", change.backward());
  if (date >= legal.date) return;
  const bool announced = date != change.today;
  const std::string span = change.backward().span();
  Finding& finding = report(
      findings, kRemovedEarly, placeOf(target, !announced), "'{}' is {} on {}, {} too early: {}.",
      target.name, announced ? "announced to be removed" : "removed", formatDate(date),
      daysBetween(date, legal.date),
      successor != nullptr
          ? fmt::format("it goes {} after the first release with its successor '{}'", span,
                        successor->name)
          : fmt::format("no successor is known, and exports of its last release are promised {}",
                        span));
  if (announced) finding.severity = GateResult::kNeedsReview;
  finding.legal = legal;
}

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

// The legal day that follows from the day since which consumers have it.
LegalDate legalSince(const Change& change, const RegisteredTarget& target, Date since) {
  return after(since, fmt::format("consumers have {} since then", target.name), change.forward());
}

// For a description that says from when on exports call the target.
Status judgeToldDay(const Change& change, const RegisteredTarget& target, Date since,
                    std::vector<Finding>& findings) {
  const Date emitted = target.exportedSince.value_or(change.today);
  std::optional<LegalDate> legal = legalSince(change, target, since);
  std::vector<std::string> consumers;
  for (const RuntimeDescription& build : change.builds) {
    if (!build.holdsRuntime() || !build.knowsTargets() || build.hasTarget(target.name)) continue;
    if (!change.forward().consumers(emitted).contains(build.day())) continue;
    consumers.push_back(build.name);
    later(legal, outOfWindow(build.day(), build.name + ", which lacks it", change.forward()));
  }
  if (emitted >= legal->date) return {};
  ASSIGN_OR_RETURN(auto artifacts,
                   artifactsCalling(change, target, emitted, legal->date - days(1)));
  Finding& finding = report(
      findings, kEmittedEarly, placeOf(target),
      "Exports call '{}' from {} on, {} too early: a consumer built up to {} before must have "
      "it. Lower to the old target in forward-compatibility mode until then.",
      target.name, formatDate(emitted), daysBetween(emitted, legal->date), change.forward().span());
  finding.legal = legal;
  finding.artifacts = std::move(artifacts);
  finding.consumers = std::move(consumers);
  return {};
}

// For a description that does not say so: archived artifacts may show it.
Status judgeArtifacts(const Change& change, const RegisteredTarget& target, Date since,
                      std::vector<Finding>& findings) {
  const LegalDate legal = legalSince(change, target, since);
  ASSIGN_OR_RETURN(auto artifacts,
                   artifactsCalling(change, target, change.backward().producers(since).first,
                                    legal.date - days(1)));
  if (artifacts.empty()) return {};
  Finding& finding =
      report(findings, kEmittedEarly, placeOf(target),
             "{} built before {} call{} '{}', which consumers have since {}. Exports began too "
             "early, or these were made with forward compatibility switched off.",
             counted(artifacts.size(), "artifact"), formatDate(legal.date),
             artifacts.size() == 1 ? "s" : "", target.name, formatDate(since));
  // For a past change nobody can explain them any more; for today's change its author can.
  finding.severity = change.hindsight ? GateResult::kAllowed : GateResult::kNeedsReview;
  finding.legal = legal;
  finding.artifacts = std::move(artifacts);
  return {};
}

}  // namespace

Status checkTargetRemovedInUse(const Change& change, std::vector<Finding>& findings) {
  for (const RegisteredTarget& target : removedTargets(change)) {
    // Facts of both sides are more precise: emitted-target-removed reports it, or it is not gone.
    if (factsDecide(change) && (!lacks(change.after, target.name, target.platform) ||
                                stillCalled(change, {target.name, target.platform}, change.today)))
      continue;
    ASSIGN_OR_RETURN(auto artifacts, artifactsInWindow(change, target.name, target.platform));
    if (artifacts.empty()) continue;
    const bool guaranteed = isGuaranteed(change, target.name);
    Finding& finding = report(
        findings, "target-removed-in-use", placeOf(target, kInOld),
        "'{}' is removed, and {} built since {} call{} it{}. Keep it until none of them is inside "
        "the window.",
        target.name, counted(artifacts.size(), "artifact"),
        formatDate(*windowFilter(change).builtFrom), artifacts.size() == 1 ? "s" : "",
        guaranteed ? "" : ", although it was never guaranteed to be stable");
    if (!guaranteed) finding.severity = GateResult::kNeedsReview;
    laterThanArtifacts(change, finding.legal, artifacts);
    finding.artifacts = std::move(artifacts);
  }
  return {};
}

Status checkTargetRemovedEarly(const Change& change, std::vector<Finding>& findings) {
  if (factsDecide(change)) return {};  // The rules that use facts are more precise.
  const bool releasesTell = std::ranges::any_of(change.builds, [](const auto& build) {
    return build.holdsRuntime() && build.knowsTargets();
  });
  for (const RegisteredTarget& target : removedTargets(change)) {
    if (!isGuaranteed(change, target.name)) continue;
    if (releasesTell)
      judgeRemovalDay(change, target, change.today, findings);
    else
      report(
          findings, kRemovedEarly, placeOf(target, kInOld),
          "'{}' is removed, but no known release lists its targets, so the {} cannot be counted. "
          "Give the releases with --release-dates, or register them with 'vintage builds'.",
          target.name, change.backward().span())
          .severity = GateResult::kNeedsReview;
  }
  for (const RegisteredTarget& target : change.after.targets) {
    const RegisteredTarget* before = change.was(target);
    const bool isNews =
        target.removedOn && (before == nullptr || before->removedOn != target.removedOn);
    if (isNews && *target.removedOn > change.today && isGuaranteed(change, target.name))
      judgeRemovalDay(change, target, *target.removedOn, findings);
  }
  return {};
}

Status checkTargetEmittedEarly(const Change& change, std::vector<Finding>& findings) {
  if (factsDecide(change)) return {};  // The rules that use facts are more precise.
  for (const RegisteredTarget& target : change.after.targets) {
    const RegisteredTarget* before = change.was(target);
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
