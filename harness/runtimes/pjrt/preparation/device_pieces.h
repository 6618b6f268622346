// The arguments of a program over several devices, split as they lie on them.
#pragma once

#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/engine.h"
#include "harness/runtimes/pjrt/prepared.h"

namespace vintage::harness {

// The results of main whose place is left open to a compiler, by their number.
std::vector<size_t> openResults(const golden::ModuleTree& module, const golden::Function& main);

// Fills in `prepared.arguments` and `prepared.outputs`; `outputs` are the whole shapes.
Status spreadOver(const Placements& placements, std::span<const golden::Tensor> arguments,
                  std::span<const golden::Shape> outputs, PreparedProgram& prepared);

}  // namespace vintage::harness
