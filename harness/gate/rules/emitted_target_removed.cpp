// A runtime that no longer has what default exports of its backward window call, and a target that
// leaves the list of guaranteed ones while exports that count on it still run.

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

// Runtimes that lack the target while exports of `last` still count.
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
    const auto& [last, legal] = *called;
    ASSIGN_OR_RETURN(auto artifacts, promisedArtifacts(change, target));
    Finding finding = findingOf(
        "emitted-target-removed", target.instance(),
        fmt::format("{} of {} no longer registers it, {} days too early: default exports of {} "
                    "({}) call it.",
                    change.after.name, formatDate(day), (legal.date - day).count(), last->name,
                    formatDate(last->exporterDay())));
    finding.legal = legal;
    finding.artifacts = std::move(artifacts);
    finding.consumers = runtimesWithout(change, target, *last);
    finding.exporters = {last->name};
    finding.refused = target.name;
    reportAt(target.name, true, std::move(finding), findings);
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
      // What is gone is a removal.
      if (lacks(change.after, target.name, platform)) continue;
      const auto called = stillCalled(change, target, day);
      if (!called) continue;
      const auto& [last, legal] = *called;
      const bool works = change.after.knowsRegistry(platform);
      Finding finding = findingOf(
          "guarantee-withdrawn", target.instance(),
          fmt::format("{} of {} no longer guarantees it, {} days too early: default exports of {} "
                      "({}) call it. {}",
                      change.after.name, formatDate(day), (legal.date - day).count(), last->name,
                      formatDate(last->exporterDay()),
                      works ? "It still works: this is no break."
                            : "Whether its runtime still has it is not known: nobody asked its "
                              "registry."));
      finding.legal = legal;
      if (works) {
        ASSIGN_OR_RETURN(finding.artifacts, promisedArtifacts(change, target));
        finding.stillRunsOn = {change.after.name};
        finding.exporters = {last->name};
        finding.refused = target.name;
      }
      reportAt(target.name, true, std::move(finding), findings);
    }
  }
  return {};
}

}  // namespace vintage::harness
