// A runtime that no longer has what default exports of its backward window call.
#include <algorithm>

#include <fmt/format.h>

#include "harness/gate/rules/release_facts.h"
#include "harness/gate/rules/rule_support.h"

namespace vintage::harness::gate {
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
    pointAt(finding, target.name, true);
    findings.push_back(std::move(finding));
  }
  return {};
}

}  // namespace vintage::harness::gate
