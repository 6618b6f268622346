// Which outputs of a program the specification leaves open, by following the data.
#pragma once

#include <optional>
#include <vector>

#include "golden/compare/recorded_comparators.h"
#include "golden/module/module_tree.h"

namespace vintage::harness {

// For each output of @main that is no token: the operations of golden/compare/open_values.h whose
// results reach it, through calls, loops and branches. Every operation passes on what reaches its
// operands, so that an output that is left out here depends on nothing open. Cholesky
// factorizations and sorts are left to RecordedOutput::maker. Empty where nothing is open.
std::vector<std::vector<golden::RecordedOutput::Open>> openOutputsOf(
    const golden::ModuleTree& module);

// The open values of an operation by its attributes alone: without bounds and inputs.
std::optional<golden::RecordedOutput::Open> openOperationOf(const golden::Operation& operation,
                                                            const golden::Function& function,
                                                            const golden::ModuleTree& module);

}  // namespace vintage::harness
