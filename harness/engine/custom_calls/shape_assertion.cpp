// shape_assertion(holds, arguments…): JAX's check that actual shapes fit a
// polymorphic specification. Its attribute error_message names the arguments
// as {0}, {1}, …
#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/custom_calls/registry.h"

namespace vintage::harness {
using namespace golden;

namespace {

std::string argumentText(const Tensor& tensor) {
  if (tensor.size() == 1 && tensor.type() == ElementType::kI32) {
    return fmt::format("{}", tensor.values<int32_t>()[0]);
  }
  if (tensor.size() == 1 && tensor.type() == ElementType::kI64) {
    return fmt::format("{}", tensor.values<int64_t>()[0]);
  }
  return describe(tensor);
}

// {i} becomes argument i; other braces stay as they are. Python's alignment
// inside the braces ({0:4}) is left out.
std::string filled(const std::string& pattern, std::span<const Value> arguments) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '{') {
      size_t end = i + 1, index = 0;
      while (end < pattern.size() && end < i + 4 && pattern[end] >= '0' && pattern[end] <= '9') {
        index = index * 10 + static_cast<size_t>(pattern[end++] - '0');
      }
      const size_t close = pattern.find('}', end);
      const bool isField = end > i + 1 && close != std::string::npos &&
                           (close == end || pattern[end] == ':') && index < arguments.size();
      if (isField) {
        text += argumentText(arguments[index].tensor);
        i = close;
        continue;
      }
    }
    text += pattern[i];
  }
  return text;
}

Result<Kernel> makeShapeAssertion(const CustomCallTarget& target, const KernelRequest& request) {
  ASSIGN_OR_RETURN(const std::string message,
                   textOf(request.operation, "error_message", "A shape assertion does not hold."));
  if (request.operandTypes.empty() || request.operandTypes[0].element != ElementType::kI1) {
    return badInput("custom_call @shape_assertion needs a tensor<i1> as its first operand.");
  }
  return Kernel([message](KernelCall& call) -> Status {
    const Tensor& holds = call.operands[0].tensor;
    if (holds.size() == 1 && holds.values<uint8_t>()[0] != 0) return {};
    return failure(Error::Kind::kBadInput, filled(message, call.operands.subspan(1)));
  });
}

}  // namespace

std::vector<CustomCallTarget> shapeAssertionTargets() {
  return {{.name = "shape_assertion",
           .platform = "any",
           .apiVersions = {CustomCallApi::kStatusReturning},
           .signature = {{"holds: i1[]", "arguments: i32[] or i64[], any number"},
                         {},
                         {"error_message: string"}},
           .factory = makeShapeAssertion}};
}

}  // namespace vintage::harness
