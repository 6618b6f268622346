// A target that is called in another way under its old name: the old way is removed.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

struct Calls {
  std::set<CallSignature> ways;
  std::set<std::string> primitives;
};

// In any mode: what the release still writes in some way, its runtime takes.
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
  const RegisteredTarget* now = registered(release, target.name, target.platform);
  return now != nullptr && !now->schema.apiVersions.empty() &&
         std::ranges::find(now->schema.apiVersions, way.apiVersion) ==
             now->schema.apiVersions.end();
}

// It calls the target for the same primitives, and no longer in this way.
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

std::string waysText(const std::set<CallSignature>& ways) {
  std::vector<std::string> texts;
  for (const CallSignature& way : ways) texts.push_back(signatureText(way));
  return fmt::format("{}", fmt::join(texts, "; or "));
}

}  // namespace

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
    ASSIGN_OR_RETURN(auto artifacts, promisedArtifacts(change, target));
    Finding finding = findingOf(
        "target-signature-changed", target.instance(),
        fmt::format("It was called with {}, in default exports up to {} ({}). {} calls it with {}: "
                    "the old way goes {} days too early, unless the runtime takes both.",
                    signatureText(call.signature), last->name, formatDate(last->exporterDay()),
                    change.after.name, waysText(callsOf(change.after, target).ways),
                    (legal.date - day).count()));
    finding.change = fmt::format("from {} to {}", signatureText(call.signature),
                                 waysText(callsOf(change.after, target).ways));
    finding.legal = legal;
    std::erase_if(artifacts, [&](const ArtifactRecord& artifact) {
      return artifact.producer == change.after.name;  // In the new way.
    });
    finding.artifacts = std::move(artifacts);
    finding.consumers = {change.after.name};
    finding.exporters = {last->name};
    finding.runsDecide = !lostItsApi(change.after, target, call.signature);
    reportAt(target.name, false, std::move(finding), findings);
  }
  return {};
}

}  // namespace vintage::harness
