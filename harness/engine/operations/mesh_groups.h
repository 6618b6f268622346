// Replica groups that are given as axes of a mesh.
#pragma once

#include <cstdint>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// #stablehlo.replica_group_mesh_axes<mesh = …, axes = […]> as the tree holds it:
// devices whose coordinates differ only along the axes (or parts of axes) form a
// group, ordered by the axes as they are listed, the first one slowest. Groups
// are in the order of their first device in the mesh.
Result<std::vector<std::vector<int64_t>>> meshGroups(const AttributeMap& attribute);

}  // namespace vintage::harness::engine
