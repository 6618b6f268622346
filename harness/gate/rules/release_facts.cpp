#include "harness/gate/rules/release_facts.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/custom_call_targets.h"

namespace vintage::harness::gate {

bool factsDecide(const Change& change) {
  return change.before.emission.known() && change.after.emission.known();
}

std::vector<const RuntimeDescription*> releasesWithFacts(const Change& change) {
  std::vector<const RuntimeDescription*> releases;
  std::set<std::string_view> names;
  const auto add = [&](const RuntimeDescription& release) {
    if (release.emission.known() && names.insert(release.name).second) releases.push_back(&release);
  };
  add(change.before);
  add(change.after);
  for (const RuntimeDescription& build : change.builds) add(build);
  std::ranges::stable_sort(releases, {}, [](const auto* release) { return release->day(); });
  return releases;
}

const RegisteredTarget* registered(const RuntimeDescription& release, std::string_view target,
                                   std::string_view platform) {
  const auto found = std::ranges::find_if(release.targets, [&](const RegisteredTarget& one) {
    return one.name == target && (one.platform == platform || one.platform == "any");
  });
  return found == release.targets.end() ? nullptr : &*found;
}

bool lacks(const RuntimeDescription& release, std::string_view target, std::string_view platform) {
  return release.knowsRegistry(platform) && !isKnownToCompiler(target) &&
         registered(release, target, platform) == nullptr;
}

bool isPromised(const EmittedCall& call) {
  return call.mode == kEmittedByDefault && !call.unlisted;
}

std::vector<PlacedTarget> promisedTargets(const RuntimeDescription& release) {
  std::set<PlacedTarget> targets;
  for (const EmittedCall& call : release.emission.calls)
    if (isPromised(call)) targets.insert({call.name, call.platform});
  return {targets.begin(), targets.end()};
}

bool promises(const RuntimeDescription& release, const PlacedTarget& target,
              const CallSignature* way) {
  return std::ranges::any_of(release.emission.calls, [&](const EmittedCall& call) {
    return isPromised(call) && call.name == target.name && call.platform == target.platform &&
           (way == nullptr || call.signature == *way);
  });
}

std::optional<StillCalled> stillCalled(const Change& change, const PlacedTarget& target, Date day,
                                       const CallSignature* way) {
  const RuntimeDescription* last = nullptr;
  for (const RuntimeDescription* release : releasesWithFacts(change))
    if (release->exporterDay() <= day && promises(*release, target, way) &&
        (last == nullptr || last->exporterDay() <= release->exporterDay()))
      last = release;
  if (last == nullptr) return std::nullopt;
  LegalDate legal =
      outOfWindow(last->exporterDay(), last->name + ", the last whose default export calls it so",
                  change.backward());
  if (day >= legal.date) return std::nullopt;
  return StillCalled{last, std::move(legal)};
}

Result<std::vector<ArtifactRecord>> promisedArtifacts(const Change& change,
                                                      const PlacedTarget& target) {
  ASSIGN_OR_RETURN(auto found, artifactsInWindow(change, target.name, target.platform));
  std::vector<ArtifactRecord> kept;
  for (ArtifactRecord& artifact : found) {
    if (artifact.format == ArtifactRecord::Format::kExported) {
      ASSIGN_OR_RETURN(auto disabled, change.archive->disabledTargets(artifact));
      if (std::ranges::find(disabled, target.name) != disabled.end()) continue;
    }
    kept.push_back(std::move(artifact));
  }
  return kept;
}

std::string joinedNames(const std::vector<const RuntimeDescription*>& releases) {
  std::vector<std::string> names;
  for (const RuntimeDescription* release : releases) names.push_back(release->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace vintage::harness::gate
