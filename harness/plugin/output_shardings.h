// What clients of several devices read from a compiled program: how its results lie on them.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "harness/engine/device_placement.h"
#include "harness/plugin/compiled_program.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

// As XLA writes a sharding: "{devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}".
std::string hloShardingText(const DevicePlacement& placement);

// A module of the program's signature whose attributes tell its shardings. XLA's clients turn the
// text of a program into HLO only for them, and would not translate Shardy's operations.
std::string signatureModule(const CompiledProgram& program);

}  // namespace vintage::harness::plugin
