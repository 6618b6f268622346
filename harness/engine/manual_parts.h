// The manual parts of programs of before Shardy (JAX's shard_map up to 0.6): what
// stands between the custom calls SPMDFullToShardShape, which takes a value
// apart, and SPMDShardToFullShape, which puts it together, runs on each device.
#pragma once

#include <optional>
#include <string_view>

#include "golden/module/module_tree.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// An operation that only gatherManualParts makes. Its operands and results are
// whole values, its region takes and returns their pieces. in_shardings and
// out_shardings are lists of HLO shardings as text; one that is empty says that
// each device has a copy.
inline constexpr std::string_view kManualPart = "custom_call @SPMDFullToShardShape";

// The block with each manual part as one operation; none where it has no such part.
std::optional<Block> gatherManualParts(const Block& block);

}  // namespace vintage::harness::engine
