// Which operations leave something open, by their attributes.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "golden/compare/factors.h"
#include "harness/importer/attribute_fields.h"
#include "harness/importer/open_outputs.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Open = RecordedOutput::Open;

double epsilonOfPrecision(std::string_view type) {
  if (type == "tf32") return 0x1p-10;
  const auto element = parseStablehloName(std::string(type));
  if (!element || !isFloat(*element)) return 0;
  const Tensor one(*element, {});
  return epsilonOf({&one, 1});
}

// The error of all components together: each component adds its digits.
double epsilonOfAlgorithm(const AttributeMap& algorithm) {
  double epsilon = 0;
  for (const char* side : {"lhs", "rhs"}) {
    const double one =
        epsilonOfPrecision(textField(algorithm, std::string(side) + "_precision_type"));
    const auto* components = field<int64_t>(algorithm, std::string(side) + "_component_count");
    epsilon = std::max(
        epsilon, std::pow(one, components == nullptr ? 1.0 : static_cast<double>(*components)));
  }
  return std::max(epsilon, epsilonOfPrecision(textField(algorithm, "accumulation_type")));
}

// By the order that it calls.
std::optional<bool> looksForLargest(const Operation& call, const ModuleTree& module) {
  const auto* called = field<AttributeList>(call.attributes, "called_computations");
  if (called == nullptr || called->size() != 1) return std::nullopt;
  const auto* name = std::get_if<std::string>(&called->front().value);
  const Function* order = name == nullptr ? nullptr : module.find(*name);
  if (order == nullptr || order->body.blocks.size() != 1) return std::nullopt;
  const Block& block = order->body.blocks[0];
  if (block.operations.size() != 2 || block.arguments.size() < 2 ||
      block.operations[0].name != "stablehlo.compare" ||
      block.operations[0].operands != std::vector{block.arguments[0], block.arguments[1]})
    return std::nullopt;
  const std::string direction = textField(block.operations[0].attributes, "comparison_direction");
  if (direction == "GT" || direction == "GE") return true;
  if (direction == "LT" || direction == "LE") return false;
  return std::nullopt;
}

std::optional<ScatterWindows> windowsOf(const Operation& scatter) {
  const auto* numbers = field<AttributeMap>(scatter.attributes, "scatter_dimension_numbers");
  if (numbers == nullptr || scatter.regions.size() != 1 || scatter.regions[0].blocks.size() != 1)
    return std::nullopt;
  ScatterWindows windows;
  for (const auto& [name, list] :
       {std::pair("update_window_dims", &windows.updateWindowDims),
        std::pair("inserted_window_dims", &windows.insertedWindowDims),
        std::pair("input_batching_dims", &windows.inputBatchingDims),
        std::pair("scatter_indices_batching_dims", &windows.scatterIndicesBatchingDims),
        std::pair("scatter_dims_to_operand_dims", &windows.scatterDimsToOperandDims)})
    if (const auto* given = field<std::vector<int64_t>>(*numbers, name)) *list = *given;
  if (const auto* vector = field<int64_t>(*numbers, "index_vector_dim"))
    windows.indexVectorDim = *vector;
  const Block& block = scatter.regions[0].blocks[0];
  if (block.arguments.size() != 2 || block.operations.empty()) return std::nullopt;
  const std::vector<ValueId>& given = block.operations.back().operands;
  if (given.size() != 1) return std::nullopt;
  if (block.operations.size() == 1 && given[0] == block.arguments[1])
    windows.computation = "replace";
  else if (block.operations.size() == 2 && block.operations[0].results == given &&
           block.operations[0].operands == block.arguments)
    windows.computation = block.operations[0].name;
  return windows.computation.empty() ? std::nullopt : std::optional(windows);
}

}  // namespace

std::optional<Open> openOperationOf(const Operation& operation, const Function& function,
                                    const ModuleTree& module) {
  Open open;
  OpenValues& values = open.values;
  values.operation = operation.name;
  const AttributeMap& attributes = operation.attributes;
  if (operation.name == "stablehlo.rng" || operation.name == "stablehlo.rng_bit_generator")
    return open;
  if (operation.name == "stablehlo.custom_call") {
    const std::string target = textField(attributes, "call_target_name");
    if (target == "stablehlo.dynamic_rng_bit_generator") {
      values.operation = "stablehlo.rng_bit_generator";
      return open;
    }
    if (target != "ApproxTopK") return std::nullopt;
    values.operation = target;
    const auto largest = looksForLargest(operation, module);
    if (!largest) return std::nullopt;
    values.largest = *largest;
    return open;
  }
  if (operation.name == "stablehlo.dot_general") {
    const auto* algorithm = field<AttributeMap>(attributes, "algorithm");
    if (algorithm == nullptr) return std::nullopt;
    const double epsilon = epsilonOfAlgorithm(*algorithm);
    if (!(epsilon > 0 && epsilon < 1)) return std::nullopt;
    values.epsilon = epsilon;
    return open;
  }
  if (operation.name == "stablehlo.reduce_precision") {
    const auto* mantissa = field<int64_t>(attributes, "mantissa_bits");
    if (mantissa == nullptr || *mantissa != 0) return std::nullopt;
    return open;
  }
  if (operation.name == "stablehlo.bitcast_convert" && operation.operands.size() == 1) {
    const ValueType& from = function.valueTypes[operation.operands[0]];
    const ValueType& to = function.valueTypes[operation.results[0]];
    if (!isFloat(from.element) || !isInteger(to.element) ||
        bitWidth(from.element) != bitWidth(to.element))
      return std::nullopt;
    values.bits = from.element;
    return open;
  }
  if (operation.name == "stablehlo.scatter" && operation.operands.size() == 3) {
    values.windows = windowsOf(operation);
    if (!values.windows) return std::nullopt;
    return open;
  }
  return std::nullopt;
}

}  // namespace vintage::harness
