// Where the outputs of a program come from: what decides how a golden that others
// recorded compares.
#pragma once

#include <nlohmann/json.hpp>

#include "golden/compare/recorded_comparators.h"
#include "golden/module/module_tree.h"

namespace vintage::harness {

// Each output of @main is followed back through what keeps values as they are
// (calls, reshapes, transposes, a select against a constant) to the custom call, the
// Cholesky factorization or the sort whose result it is. `targets` are those of the
// program's custom calls.
golden::RecordedProgram recordedProgramOf(const golden::ModuleTree& module,
                                          std::vector<std::string> targets);

// For the way out of the process that reads artifacts.
nlohmann::json toJson(const golden::RecordedProgram& program);
golden::RecordedProgram recordedProgramFromJson(const nlohmann::json& json);

}  // namespace vintage::harness
