// Sharding propagation: where a program's results lie if it leaves that open.
//
// XLA's partitioners pass the placements of arguments and of sharding annotations on through the
// operations (Shardy's "propagation"), and callers see the placement of a result that nobody
// annotated. This passes them on forward only.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/device_placement.h"

namespace vintage::harness {

// None: nothing that is placed reaches the value.
using OpenPlacement = std::optional<DevicePlacement>;

// A custom call that propagation comes to.
struct PlacedCall {
  const golden::Function& function;
  const golden::Operation& operation;
  std::vector<OpenPlacement> operands;
  std::vector<OpenPlacement> users;    // For each result: as an annotation behind it says.
  std::vector<OpenPlacement> results;  // As its sdy.sharding_rule says; others may be set.
};

// An operation for which devices exchange their pieces: an operand is split where no result is.
struct Exchange {
  const golden::Operation& operation;
  bool isReduction;  // They combine what each has reduced of its pieces. Else they gather pieces.
};

// Sees what `main` runs, manual parts left out, perhaps several times.
struct PlacementObserver {
  std::function<void(PlacedCall& call)> seeCall = nullptr;
  std::function<void(const Exchange& exchange)> seeExchange = nullptr;
};

// The placements of the results of `main`, by those of its arguments. Each splits its result
// evenly.
std::vector<OpenPlacement> propagatedPlacements(const golden::ModuleTree& module,
                                                const golden::Function& main,
                                                std::vector<OpenPlacement> arguments,
                                                int64_t devices,
                                                const PlacementObserver& observer = {});

}  // namespace vintage::harness
