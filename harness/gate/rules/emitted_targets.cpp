// What default exports call: a runtime that no longer has it while exports of its backward window
// call it; a target that leaves the list of guaranteed ones meanwhile; one that is called before
// consumers have had it for the forward window, or in another way under its old name.
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

using Releases = std::vector<const RuntimeDescription*>;

// None where no release registers it, or the one before the first that does was not asked: then
// nobody knows since when it is registered.
const RuntimeDescription* firstWith(const Releases& releases, const PlacedTarget& target) {
  const auto found = std::ranges::find_if(releases, [&](const RuntimeDescription* release) {
    return Change::find(*release, target.name, target.platform) != nullptr;
  });
  if (found == releases.begin() || found == releases.end()) return nullptr;
  return (*std::prev(found))->knowsRegistry(target.platform) ? *found : nullptr;
}

// Inside the forward window of `exported` and without the target.
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

// A release of an older series, or a target that a newer runtime has lost.
bool wasRegisteredBefore(const RuntimeDescription& first, const Releases& consumers) {
  return std::ranges::all_of(
      consumers, [&](const RuntimeDescription* consumer) { return first.day() < consumer->day(); });
}

Result<Finding> findingAbout(const Change& change, const PlacedTarget& target,
                             const RuntimeDescription& first, const Releases& consumers) {
  const RuntimeDescription& exporter = change.after;
  const Date day = exporter.exporterDay();
  LegalDate legal =
      after(first.day(), first.name + ", the first that registers it", change.forward());
  std::vector<std::string> names;
  for (const RuntimeDescription* consumer : consumers) {
    names.push_back(consumer->name);
    const LegalDate gone =
        outOfWindow(consumer->day(), consumer->name + ", which lacks it", change.forward());
    if (legal.date < gone.date) legal = gone;
  }
  Finding finding = findingOf(
      "target-emitted-before-registered", target.instance(),
      fmt::format("Default exports of {} of {} call it, {} days too early. {}", exporter.name,
                  formatDate(day), (legal.date - day).count(),
                  consumers.empty()
                      ? std::string("No release of the days before lacks it; a build of the "
                                    "source of those days does.")
                      : fmt::format("Released inside the {} before, without it: {}.",
                                    change.forward().span(), fmt::join(names, ", "))));
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
  pointAt(finding, target.name, false);
  return finding;
}

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
  const RegisteredTarget* now = Change::find(release, target.name, target.platform);
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

Status checkTargetEmittedBeforeRegistered(const Change& change, std::vector<Finding>& findings) {
  if (!factsDecide(change)) return {};
  const auto releases = releasesWithFacts(change);
  const Date day = change.after.exporterDay();
  for (const PlacedTarget& target : promisedTargets(change.after)) {
    const RuntimeDescription* first = firstWith(releases, target);
    if (first == nullptr) continue;  // The compiler's own, or of a registry that nobody asked.
    const auto consumers = consumersWithout(change, releases, target, day);
    const bool lost = !consumers.empty() && wasRegisteredBefore(*first, consumers);
    // What the oldest release that is known has came on a day that is not.
    const bool known = first != releases.front();
    const bool early = known && day < change.forward().plus(first->day());
    if (!lost &&
        !(isFirstToPromise(releases, change.after, target) && (early || !consumers.empty())))
      continue;
    ASSIGN_OR_RETURN(auto finding, findingAbout(change, target, *first, consumers));
    findings.push_back(std::move(finding));
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
