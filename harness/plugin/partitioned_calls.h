// Custom calls that are split over devices when a program is compiled: those whose targets have a
// partitioner (custom_partitioner.h), InspectSharding, and calls of Python by each device.
#pragma once

#include <cstdint>
#include <string_view>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/engine.h"
#include "harness/plugin/compiled_program.h"

namespace vintage::harness {

bool isSplitWhenCompiled(std::string_view target);

// Puts a manual part in the place of each such call, and gives the placements of main's arguments
// and results. A call lies as propagation finds it; as if replicated, where nothing that is placed
// reaches it.
Result<Placements> splitCalls(golden::ModuleTree& module, const CompileRequest& request,
                              ProgramReader& reader);

}  // namespace vintage::harness
