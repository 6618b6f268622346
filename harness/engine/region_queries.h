// What the planner asks of a region before it plans it.
#pragma once

#include <string>
#include <vector>

#include "golden/module/module_tree.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// Appends every operand of `region`'s operations, those of nested regions included.
void collectUses(const Region& region, std::vector<ValueId>& uses);

// Values that `region` uses and does not define, each once, in order of use.
std::vector<ValueId> capturedValues(const Region& region);

// Whether regions nest more than `levels` deep.
bool deeperThan(const Region& region, int levels);

// What `region` computes, where that is one operation on its two arguments
// ("stablehlo.add"; of a commutative one in either order) or "argument N". Empty
// for everything else. Kernels have loops of their own for the known ones.
std::string shortcutOf(const Region& region);

}  // namespace vintage::harness::engine
