// How the arguments and results of an artifact for several devices lie on them:
// as its Exported records, checked against what its module says beside them.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/engine.h"
#include "harness/runtimes/embedded/callable.h"

namespace vintage::harness {

// Where a recorded sharding puts the pieces of a value of this rank. Unspecified:
// a copy on each device. `place` ("input 0") stands in messages.
Result<DevicePlacement> recordedPlacement(const golden::Sharding& sharding, int64_t devices,
                                          size_t rank, const std::string& place);

// The placements of all arguments of main but tokens, in their order, and of its results. A
// kBadInput names both where the record and the module place a value differently.
Result<Placements> placementsOf(const Callable& callable, const golden::ModuleTree& module,
                                const golden::Function& main);

// The placements of all arguments and results of main over `devices`, as the module says them
// beside its main. What it leaves open has a copy on each device.
Result<Placements> annotatedPlacements(const golden::ModuleTree& module,
                                       const golden::Function& main, int64_t devices);

}  // namespace vintage::harness
