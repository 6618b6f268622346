// Windows of a scatter that lie partly outside of its operand.
//
// The specification (scatter) leaves out the elements that lie outside, one by one; until June 2023
// it left open what happens (openxla/stablehlo#1561). XLA leaves out such a window as a whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

// A scatter of one operand whose operands are inputs of the program.
struct ScatterWindows {
  size_t operand = 0, indices = 0, updates = 0;  // Numbers of inputs.
  // The computation on an element and its update: "replace", or an operation's name: "add".
  std::string computation;
  // As the specification names them.
  std::vector<int64_t> updateWindowDims, insertedWindowDims, inputBatchingDims,
      scatterIndicesBatchingDims, scatterDimsToOperandDims;
  int64_t indexVectorDim = 0;

  bool operator==(const ScatterWindows&) const = default;
};

// The elements that one window reaches, and no other, where that window is partly outside: of
// each the update. Empty where the inputs do not fit the numbers.
std::unordered_map<int64_t, int64_t> elementsOfCutWindows(const ScatterWindows& windows,
                                                          std::span<const Tensor> inputs);
// The element after an update that counts; NaN for an unknown computation.
double updatedElement(const ScatterWindows& windows, double element, double update);

nlohmann::json scatterWindowsJson(const ScatterWindows& windows);
Result<ScatterWindows> scatterWindowsOfJson(const nlohmann::json& json);

}  // namespace vintage::golden
