// Values that StableHLO's specification leaves open: a consumer may give them in its own way.
//
// Each such thing is declared once, by operation. A comparator carries those that reach its
// outputs. Outputs that differ from a golden only there are the same answer, and the comparison
// says where they differ (Comparison::permittedDifference).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/compare/scatter_windows.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

struct OpenOperation {
  std::string_view operation;  // "stablehlo.rng", or the target of a custom call.
  std::string_view section;    // Of the StableHLO specification (docs/spec.md there).
  std::string_view open;       // The freedom it leaves; empty: none, although consumers differ.
  std::string_view judged;     // How the outputs are judged that it reaches.
};
// In the order in which documents list them.
std::span<const OpenOperation> openOperations();
// Null where nothing is declared.
const OpenOperation* findOpenOperation(std::string_view operation);

// An open operation whose results reach an output.
struct OpenValues {
  std::string operation;  // OpenOperation::operation
  // The output is what the operation gave, perhaps moved or cut. Otherwise it was computed from it.
  bool direct = false;
  // Of stablehlo.rng's uniform distribution: from `low` up to, but not including, `high`.
  std::optional<double> low, high;
  // Of stablehlo.dot_general: the rounding error of an operand under the algorithm that it names.
  std::optional<double> epsilon;
  // Of stablehlo.bitcast_convert: the float type whose bits the output shows.
  std::optional<ElementType> bits;
  // Of ApproxTopK: whether it takes the largest, and the input that it searches.
  bool largest = false;
  std::optional<size_t> operand;
  // Of stablehlo.scatter.
  std::optional<ScatterWindows> windows;

  bool operator==(const OpenValues&) const = default;
};

// Whether the element at a row-major index may differ from the expected one.
using PermittedElement = std::function<bool(int64_t index)>;
// For one output under all of `open`; empty where no element may differ. Both tensors have one type
// and shape. They and the inputs must outlive the result.
PermittedElement permittedElement(std::span<const OpenValues> open, std::span<const Tensor> inputs,
                                  const Tensor& expected, const Tensor& actual);

// "stablehlo.rng (specification, rng: how the numbers are made)", of each operation.
std::string openText(std::span<const OpenValues> open);

nlohmann::json openValuesJson(std::span<const OpenValues> open);
// A malformed field is kBadInput. An operation that is not declared here is kept, and permits
// nothing: a newer Vintage may know it.
Result<std::vector<OpenValues>> openValuesOfJson(const nlohmann::json& json);

}  // namespace vintage::golden
