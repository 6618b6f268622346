// Default exports that call a target before consumers have had it for the forward window.
#include <algorithm>

#include <fmt/format.h>

#include "harness/gate/rules/rule_support.h"

namespace vintage::harness {
using namespace archive;

namespace {

using Releases = std::vector<const RuntimeDescription*>;

// None where no release registers it, or the one before the first that does was not asked: then
// nobody knows since when it is registered.
const RuntimeDescription* firstWith(const Releases& releases, const PlacedTarget& target) {
  const auto found = std::ranges::find_if(releases, [&](const RuntimeDescription* release) {
    return registered(*release, target.name, target.platform) != nullptr;
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
  for (const RuntimeDescription* consumer : consumers) {
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
                                    change.forward().span(), joinedNames(consumers))));
  finding.legal = legal;
  for (const RuntimeDescription* consumer : consumers) finding.consumers.push_back(consumer->name);
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

}  // namespace

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

}  // namespace vintage::harness
