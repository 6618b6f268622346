// Targets that default exports call: a runtime drops one while exports of its backward window call
// it; one leaves the list of guaranteed targets meanwhile; one is called before consumers have had
// it for the forward window, or in another way under its old name.
#include <algorithm>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

// Runtimes that lack the target while they must still run exports of `last`.
std::vector<std::string> runtimesWithout(const Change& change, const PlacedTarget& target,
                                         const RuntimeDescription& last) {
  std::vector<std::string> names;
  for (const RuntimeDescription* release : releasesWithFacts(change))
    if (change.backward().consumers(last.exporterDay()).contains(release->day()) &&
        release->day() >= change.after.day() && lacks(*release, target.name, target.platform))
      names.push_back(release->name);
  return names;
}

std::set<std::string> platformsOf(const std::vector<const RuntimeDescription*>& releases,
                                  const std::string& target) {
  std::set<std::string> platforms;
  for (const RuntimeDescription* release : releases)
    for (const EmittedCall& call : release->emission.calls)
      if (isPromised(call) && call.name == target) platforms.insert(call.platform);
  return platforms;
}

using Releases = std::vector<const RuntimeDescription*>;

// The first release that registers it. The day is known only if the registry of the release before
// was queried.
struct FirstWith {
  const RuntimeDescription* release = nullptr;
  bool sinceIsKnown = false;
};
FirstWith firstWith(const Releases& releases, const PlacedTarget& target) {
  const auto found = std::ranges::find_if(releases, [&](const RuntimeDescription* release) {
    return Change::find(*release, target.name, target.platform) != nullptr;
  });
  if (found == releases.end()) return {};
  return {*found, found != releases.begin() && (*std::prev(found))->knowsRegistry(target.platform)};
}

// Consumers inside the forward window of `exported` that lack the target.
Releases consumersWithout(const Change& change, const Releases& releases,
                          const PlacedTarget& target, Date exported) {
  Releases found;
  for (const RuntimeDescription* release : releases)
    if (release->day() < exported &&
        change.forward().consumers(exported).contains(release->day()) &&
        lacks(*release, target.name, target.platform))
      found.push_back(release);
  return found;
}

bool isFirstToPromise(const Releases& releases, const RuntimeDescription& exporter,
                      const PlacedTarget& target) {
  return std::ranges::none_of(releases, [&](const RuntimeDescription* release) {
    return release->exporterDay() < exporter.exporterDay() && promises(*release, target);
  });
}

Status reportEarly(const Change& change, const PlacedTarget& target,
                   const RuntimeDescription& first, const Releases& consumers,
                   std::vector<Finding>& findings) {
  const RuntimeDescription& exporter = change.after;
  const Date day = exporter.exporterDay();
  std::optional<LegalDate> legal =
      after(first.day(), first.name + ", the first that registers it", change.forward());
  std::vector<std::string> names;
  for (const RuntimeDescription* consumer : consumers) {
    names.push_back(consumer->name);
    later(legal,
          outOfWindow(consumer->day(), consumer->name + ", which lacks it", change.forward()));
  }
  Finding& finding =
      report(findings, "target-emitted-before-registered", placeOf(target),
             "Default exports of {} of {} call it, {} too early. {}", exporter.name,
             formatDate(day), daysBetween(day, legal->date),
             consumers.empty() ? std::string("No release of those days lacks it, but builds of the "
                                             "source of those days do.")
                               : fmt::format("Released inside the {} before, without it: {}.",
                                             change.forward().span(), fmt::join(names, ", ")));
  finding.legal = legal;
  finding.consumers = std::move(names);
  finding.exporters = {exporter.name};
  finding.refused = target.name;
  if (consumers.empty()) finding.severity = GateResult::kNeedsReview;
  ArtifactFilter filter;
  filter.customCallTargets = {target.name};
  filter.platforms = {target.platform};
  filter.builtFrom = filter.builtUntil = day;
  ASSIGN_OR_RETURN(finding.artifacts, change.archive->artifacts(filter));
  return {};
}

// Reports a target that default exports still call; `what`: the verb for the loss, "registers".
Finding& reportGone(const Change& change, const char* rule, const PlacedTarget& target,
                    const char* what, Date day, const StillCalled& called,
                    std::vector<Finding>& findings) {
  Finding& finding =
      report(findings, rule, placeOf(target, kInOld),
             "{} of {} no longer {} it, {} too early: default exports of {} ({}) call it.",
             change.after.name, formatDate(day), what, daysBetween(day, called.legal.date),
             called.last->name, formatDate(called.last->exporterDay()));
  finding.legal = called.legal;
  return finding;
}

struct Calls {
  std::set<CallSignature> ways;
  std::set<std::string> primitives;
};

// In any mode: a release's own runtime accepts every form that the release can still write.
Calls callsOf(const RuntimeDescription& release, const PlacedTarget& target) {
  Calls calls;
  for (const EmittedCall& call : release.emission.calls)
    if (call.name == target.name && call.platform == target.platform) {
      calls.ways.insert(call.signature);
      calls.primitives.insert(call.primitives.begin(), call.primitives.end());
    }
  return calls;
}

// The runtime registers the name for another API.
bool lostItsApi(const RuntimeDescription& release, const PlacedTarget& target,
                const CallSignature& way) {
  const RegisteredTarget* now = Change::find(release, target.name, target.platform);
  return now != nullptr && !now->schema.apiVersions.empty() &&
         std::ranges::find(now->schema.apiVersions, way.apiVersion) ==
             now->schema.apiVersions.end();
}

// "api_version 1, 2, 3 only"
std::string registeredApis(const RuntimeDescription& release, const PlacedTarget& target) {
  return fmt::format(
      "api_version {} only",
      fmt::join(Change::find(release, target.name, target.platform)->schema.apiVersions, ", "));
}
std::string callsText(const Calls& calls) {
  return fmt::format("{}", fmt::join(calls.ways | std::views::transform(signatureText), "; or "));
}

// The new release calls the target for the same primitives, but no longer in this way.
bool isReplaced(const Change& change, const EmittedCall& call) {
  const PlacedTarget target{call.name, call.platform};
  if (lostItsApi(change.after, target, call.signature))
    return !lostItsApi(change.before, target, call.signature);
  const Calls now = callsOf(change.after, target);
  return !now.ways.contains(call.signature) &&
         std::ranges::any_of(call.primitives, [&](const std::string& primitive) {
           return now.primitives.contains(primitive);
         });
}

}  // namespace

Status checkEmittedTargetRemoved(const Change& change, std::vector<Finding>& findings) {
  if (!factsDecide(change)) return {};
  const Date day = change.today;
  for (const RegisteredTarget& gone : change.before.targets) {
    if (!change.before.knowsRegistry(gone.platform) ||
        !lacks(change.after, gone.name, gone.platform))
      continue;
    const PlacedTarget target{gone.name, gone.platform};
    const auto called = stillCalled(change, target, day);
    if (!called) continue;
    Finding& finding =
        reportGone(change, "emitted-target-removed", target, "registers", day, *called, findings);
    ASSIGN_OR_RETURN(finding.artifacts, promisedArtifacts(change, target));
    finding.consumers = runtimesWithout(change, target, *called->last);
    finding.exporters = {called->last->name};
    finding.refused = target.name;
  }
  return {};
}

Status checkGuaranteeWithdrawn(const Change& change, std::vector<Finding>& findings) {
  if (!factsDecide(change) || change.after.stableTargets.empty()) return {};
  const auto releases = releasesWithFacts(change);
  const Date day = change.after.exporterDay();
  for (const StableTarget& listed : change.before.stableTargets) {
    if (change.stable(change.after, listed.name) != nullptr) continue;
    for (const std::string& platform : platformsOf(releases, listed.name)) {
      const PlacedTarget target{listed.name, platform};
      // A missing target is a removal, which another rule reports.
      if (lacks(change.after, target.name, platform)) continue;
      const auto called = stillCalled(change, target, day);
      if (!called) continue;
      Finding& finding =
          reportGone(change, "guarantee-withdrawn", target, "guarantees", day, *called, findings);
      if (!change.after.knowsRegistry(platform)) {
        finding.message +=
            " It is unknown whether its runtime still has it: its registry was not queried.";
        continue;
      }
      finding.message += " It still works: this is no break.";
      ASSIGN_OR_RETURN(finding.artifacts, promisedArtifacts(change, target));
      finding.stillRunsOn = {change.after.name};
      finding.exporters = {called->last->name};
      finding.refused = target.name;
    }
  }
  return {};
}

Status checkTargetEmittedBeforeRegistered(const Change& change, std::vector<Finding>& findings) {
  if (!factsDecide(change)) return {};
  const auto releases = releasesWithFacts(change);
  const Date day = change.after.exporterDay();
  for (const PlacedTarget& target : promisedTargets(change.after)) {
    const auto [first, sinceIsKnown] = firstWith(releases, target);
    if (first == nullptr) continue;  // The compiler's own, or in a registry that was not queried.
    const auto consumers = consumersWithout(change, releases, target, day);
    // A release of an older series, or a target that a newer runtime has lost.
    const bool lost =
        !consumers.empty() && std::ranges::all_of(consumers, [&](const auto* consumer) {
          return first->day() < consumer->day();
        });
    const bool early = day < change.forward().plus(first->day());
    if (!lost && !(sinceIsKnown && isFirstToPromise(releases, change.after, target) &&
                   (early || !consumers.empty())))
      continue;
    RETURN_IF_ERROR(reportEarly(change, target, *first, consumers, findings));
  }
  return {};
}

Status checkTargetSignatureChanged(const Change& change, std::vector<Finding>& findings) {
  if (!factsDecide(change)) return {};
  const Date day = change.today;
  for (const EmittedCall& call : change.before.emission.calls) {
    const PlacedTarget target{call.name, call.platform};
    if (!isPromised(call) || lacks(change.after, call.name, call.platform) ||
        !isReplaced(change, call))
      continue;
    const auto called = stillCalled(change, target, day, &call.signature);
    if (!called) continue;
    const auto& [last, legal] = *called;
    const std::string before = signatureText(call.signature);
    const bool lostApi = lostItsApi(change.after, target, call.signature);
    const std::string now =
        lostApi ? registeredApis(change.after, target) : callsText(callsOf(change.after, target));
    Finding& finding = report(
        findings, "target-signature-changed", placeOf(target),
        "It was called with {}, in default exports up to {} ({}). {} {} {}: the old way goes "
        "{} too early{}.",
        before, last->name, formatDate(last->exporterDay()), change.after.name,
        lostApi ? "registers it for" : "calls it with", now, daysBetween(day, legal.date),
        lostApi ? "" : ", unless the runtime takes both");
    finding.change = fmt::format("from {} to {}", before, now);
    finding.legal = legal;
    ASSIGN_OR_RETURN(finding.artifacts, promisedArtifacts(change, target));
    std::erase_if(finding.artifacts, [&](const ArtifactRecord& artifact) {
      return artifact.producer == change.after.name;  // In the new way.
    });
    finding.consumers = {change.after.name};
    finding.exporters = {last->name};
    finding.runsDecide = !lostApi;
  }
  return {};
}

}  // namespace vintage::harness
