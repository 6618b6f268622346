// The arguments of a program over several devices, split as they lie on them.
#pragma once

#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/consumers/pjrt/preparation/room.h"
#include "harness/consumers/pjrt/prepared.h"
#include "harness/engine/engine.h"

namespace vintage::harness::consumers::pjrt::preparation {

// The results of main whose place is left open to a compiler, by their number.
std::vector<size_t> openResults(const ModuleTree& module, const Function& main);

// Fills in `prepared.arguments` and `prepared.outputs`; `outputs` are the whole shapes.
Status spreadOver(const Placements& placements, std::span<const Tensor> arguments,
                  std::span<const Shape> outputs, PreparedProgram& prepared);

}  // namespace vintage::harness::consumers::pjrt::preparation
