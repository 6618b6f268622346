// The text of a compiled program, as XLA's clients read it.
#pragma once

#include <string>

#include "golden/base/result.h"
#include "harness/plugin/compiled_program.h"

namespace vintage::harness {

// MLIR, with the layouts of arguments and results where the program has some of its own, or moves
// the dimensions of a result. Clients convert it to HLO; those that know no API beyond 0.93 take
// shardings and layouts from there.
//
// Over several partitions: a module with the program's signature, in the shapes of one device's
// pieces, whose attributes hold its shardings. Clients could not translate Shardy's operations.
Result<std::string> optimizedText(const CompiledProgram& program);

}  // namespace vintage::harness
