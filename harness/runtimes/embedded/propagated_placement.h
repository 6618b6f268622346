// Sharding propagation: where a program's results lie if it leaves that open.
//
// XLA's partitioners pass the placements of arguments and of sharding annotations on through the
// operations (Shardy's "propagation"), and callers see the placement of a result that nobody
// annotated. This passes them on forward only.
#pragma once

#include <optional>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/device_placement.h"

namespace vintage::harness {

// None: nothing that is placed reaches the value.
using OpenPlacement = std::optional<DevicePlacement>;

// The placements of the results of `main`, by those of its arguments. Each splits its result
// evenly.
std::vector<OpenPlacement> propagatedPlacements(const golden::ModuleTree& module,
                                                const golden::Function& main,
                                                std::vector<OpenPlacement> arguments,
                                                int64_t devices);

}  // namespace vintage::harness
