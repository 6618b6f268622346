// What the embedded engine registers, extracted from its own tables.
#pragma once

#include <nlohmann/json.hpp>

#include "archive/store/records.h"
#include "harness/consumers/embedded/room.h"

namespace vintage::harness::consumers::embedded {

// `build` gives the name, the dates and the version ranges.
//
// Signatures come from the custom-call tables that the engine plans with. A
// result that bears an operand's name takes the operand's place, as LAPACK's
// routines do: the description lists it as an alias. What the catalogue's lowerings
// write says whether exports call a target; engine_history.h says since when. The list
// of guaranteed targets holds those of JAX's list that the engine registers and
// that are on it still.
RuntimeDescription describeEngine(const BuildRecord& build);

}  // namespace vintage::harness::consumers::embedded
