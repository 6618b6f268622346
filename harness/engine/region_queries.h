// What the planner asks of a region before it plans it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/module/module_tree.h"

namespace vintage::harness {

// Appends every operand of `region`'s operations, those of nested regions included.
void collectUses(const golden::Region& region, std::vector<golden::ValueId>& uses);

// Values that `region` uses and does not define, each once, in order of use.
std::vector<golden::ValueId> capturedValues(const golden::Region& region);

// Whether regions nest more than `levels` deep.
bool deeperThan(const golden::Region& region, int levels);

// What `region` computes, where that is one operation on its two arguments
// ("stablehlo.add"; of a commutative one in either order) or "argument N". Empty
// for everything else. Kernels have loops of their own for the known ones.
std::string shortcutOf(const golden::Region& region);

// The manual parts of programs of before Shardy (JAX's shard_map up to 0.6): what
// stands between the custom calls SPMDFullToShardShape, which takes a value
// apart, and SPMDShardToFullShape, which puts it together, runs on each device.
//
// An operation that only gatherManualParts makes. Its operands and results are
// whole values, its region takes and returns their pieces. in_shardings and
// out_shardings are lists of HLO shardings as text; one that is empty says that
// each device has a copy.
inline constexpr std::string_view kManualPart = "custom_call @SPMDFullToShardShape";

// The block with each manual part as one operation; none where it has no such part.
std::optional<golden::Block> gatherManualParts(const golden::Block& block);

}  // namespace vintage::harness
