// What the embedded engine registers, extracted from its own tables.
#pragma once

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "harness/consumers/embedded/room.h"

namespace vintage::harness::consumers::embedded {

// A runtime's description (harness/runtime/runtime_description.h) as JSON. `build` gives the
// name, the dates and the version ranges.
//
// Signatures come from the custom-call tables that the engine plans with. A
// result that bears an operand's name takes the operand's place, as LAPACK's
// routines do: it is told as an alias. Whether exports call a target is told by
// what the catalogue's lowerings write, since when by engine_history.h. The list
// of guaranteed targets holds those of JAX's list that the engine registers and
// that are on it still.
nlohmann::json describeEngine(const BuildRecord& build);

}  // namespace vintage::harness::consumers::embedded
