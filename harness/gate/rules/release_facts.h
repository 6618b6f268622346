// What releases register and emit (docs/gate/facts.md), as the rules about targets ask it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gate/change.h"
#include "harness/gate/finding.h"
#include "harness/gate/room.h"

namespace vintage::harness::gate {

// Whether both sides of the change say what their exports emit: then the rules that judge by
// these facts apply, and those that guess from the list of guaranteed targets do not.
bool factsDecide(const Change& change);

// Those with such facts, the change's own sides included: once each, by the day of the runtime.
std::vector<const RuntimeDescription*> releasesWithFacts(const Change& change);

const RegisteredTarget* registered(const RuntimeDescription& release, std::string_view target,
                                   std::string_view platform);
// Its registry was asked and lacks the target, which the compiler does not replace either.
bool lacks(const RuntimeDescription& release, std::string_view target, std::string_view platform);

// A target on a platform.
struct PlacedTarget {
  std::string name, platform;
  std::string instance() const { return name + "@" + platform; }
  auto operator<=>(const PlacedTarget&) const = default;
};

// The calls of default exports that a promise covers: without those whose check was switched off.
bool isPromised(const EmittedCall& call);
std::vector<PlacedTarget> promisedTargets(const RuntimeDescription& release);
bool promises(const RuntimeDescription& release, const PlacedTarget& target);

// The last of the releases up to `until`, by the days of their exporters, that `holds` of.
template <typename Predicate>
const RuntimeDescription* lastExporter(const std::vector<const RuntimeDescription*>& releases,
                                       Date until, const Predicate& holds) {
  const RuntimeDescription* last = nullptr;
  for (const RuntimeDescription* release : releases)
    if (release->exporterDay() <= until && holds(*release) &&
        (last == nullptr || last->exporterDay() <= release->exporterDay()))
      last = release;
  return last;
}

// Why a target may not go yet.
struct StillCalled {
  const RuntimeDescription* last;  // Whose default export calls it.
  LegalDate legal;
};
// None where no default export calls it inside the backward window of `change.today`.
std::optional<StillCalled> stillCalled(const Change& change, const PlacedTarget& target);

// "jax 0.5.1, the last whose default export calls it".
std::string lastWords(const RuntimeDescription& release);
// Archived artifacts of the backward window that call the target and whose check was on.
Result<std::vector<ArtifactRecord>> promisedArtifacts(const Change& change,
                                                      const PlacedTarget& target);
// "jax 0.5.3, jax 0.6.0"
std::string joinedNames(const std::vector<const RuntimeDescription*>& releases);

}  // namespace vintage::harness::gate
