// Into the regions of an operation, and its neighbours: what both searches of a program's parts
// use.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/bisect/localize/culprit_operation.h"

namespace vintage::harness {

inline constexpr int kDeepestRegion = 16;

// One step into a region: the branch that is taken, or one turn of a loop, replaces the operation
// around it.
struct InnerProgram {
  golden::Program program;
  std::string inside;  // "branch 1 of stablehlo.case", "turn 3 of stablehlo.while"
};

// The turn of a loop to open, counted from 1; none: it stays closed.
using ChooseTurn = std::function<Result<std::optional<int64_t>>(size_t loop)>;
// Opens the program's last operation. None if it has no such region, or nothing is in there;
// `notes` gets the reason why a region could not be opened.
Result<std::optional<InnerProgram>> openRegion(const golden::Program& program,
                                               const std::vector<golden::Tensor>& arguments,
                                               const ChooseTurn& chooseTurn,
                                               std::vector<std::string>& notes);

// "stablehlo.tanh", "stablehlo.custom_call @mhlo.erf"
std::string nameOf(const golden::Operation& operation);
// Adds the producers of these operations' operands; false: no producers are left.
bool addProducers(const MainOperations& main, std::set<size_t>& operations);

}  // namespace vintage::harness
