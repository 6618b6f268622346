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

// The calls of default exports that a promise covers: without those whose check was switched off.
bool isPromised(const EmittedCall& call);
std::vector<PlacedTarget> promisedTargets(const RuntimeDescription& release);
// In any way, or in `way`.
bool promises(const RuntimeDescription& release, const PlacedTarget& target,
              const CallSignature* way = nullptr);

// Why a target may not go yet.
struct StillCalled {
  const RuntimeDescription* last;  // Whose default export calls it.
  LegalDate legal;
};
// None where no default export calls it, in `way` if one is given, inside the backward window of
// `day`.
std::optional<StillCalled> stillCalled(const Change& change, const PlacedTarget& target, Date day,
                                       const CallSignature* way = nullptr);

// Archived artifacts of the backward window that call the target and whose check was on.
Result<std::vector<ArtifactRecord>> promisedArtifacts(const Change& change,
                                                      const PlacedTarget& target);
// "jax 0.5.3, jax 0.6.0"
std::string joinedNames(const std::vector<const RuntimeDescription*>& releases);

}  // namespace vintage::harness::gate
