#include "harness/engine/constant_value.h"

#include <fmt/format.h>

#include "harness/engine/checked_attributes.h"
#include "harness/engine/planner.h"

namespace vintage::harness::engine {

bool isConstant(const Operation& operation) {
  return operation.name == "stablehlo.constant" || operation.name == "chlo.constant";
}

Result<Value> constantValue(const Operation& operation, const ValueType& type) {
  const Attribute* found = CheckedAttributes(operation).find("value");
  if (found == nullptr) return malformed(operation, "it has no attribute 'value'");
  Value value;
  if (const auto* tensor = std::get_if<Tensor>(&found->value)) {
    value.tensor = *tensor;
  } else if (const auto* integers = std::get_if<std::vector<int64_t>>(&found->value);
             integers != nullptr && byteWidth(type.element) == 8) {
    const auto bytes = std::as_bytes(std::span(*integers));
    ASSIGN_OR_RETURN(auto made, Tensor::fromBytes(type.element,
                                                  {static_cast<int64_t>(integers->size())}, bytes));
    value.tensor = std::move(made);
  } else if (const auto* flags = std::get_if<std::vector<bool>>(&found->value);
             flags != nullptr && byteWidth(type.element) == 1) {
    const std::vector<uint8_t> bytes(flags->begin(), flags->end());
    ASSIGN_OR_RETURN(auto made,
                     Tensor::fromBytes(type.element, {static_cast<int64_t>(bytes.size())},
                                       std::as_bytes(std::span(bytes))));
    value.tensor = std::move(made);
  } else {
    return malformed(operation, "'value' is not a dense constant of the result's type");
  }
  if (value.tensor.type() != type.element || value.tensor.shape() != type.shape)
    return malformed(operation,
                     fmt::format("the constant is {} and its type {}", describe(value.tensor),
                                 describe(type.element, type.shape)));
  return value;
}

}  // namespace vintage::harness::engine
