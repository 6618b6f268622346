// When JAX guaranteed a custom-call target to be stable.
//
// Source: the history of _CUSTOM_CALL_TARGETS_GUARANTEED_STABLE in jax-ml/jax,
// one period for each target: from the first commit that listed it (gaps of
// a few days, where a commit was rolled back, are left out) to the last one
// that removed it.
#pragma once

#include <string_view>

#include "harness/engine/room.h"

namespace vintage::harness::engine {

struct StabilityGuarantee {
  std::string_view target;
  std::string_view since;
  std::string_view until;  // Empty: still guaranteed.
};

// Null where the target never was on the list.
const StabilityGuarantee* findStabilityGuarantee(std::string_view target);

}  // namespace vintage::harness::engine
