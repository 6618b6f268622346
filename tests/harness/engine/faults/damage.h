// Parts of faults: each wraps the kernel of an operation.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "tests/harness/engine/faults/fault.h"

namespace vintage::harness::damage {

using OperandValues = std::span<const Value>;
using ResultValues = std::vector<Value>;

// Changes what the sound kernel computed. The operands are as they were.
FaultyFactory results(std::function<void(OperandValues operands, ResultValues& results)> change);
// Changes what the sound kernel gets; the shapes and types stay.
FaultyFactory operands(std::function<void(std::vector<Value>& operands)> change);
// Plans the operation with other attributes.
FaultyFactory attributes(std::function<void(golden::AttributeMap& attributes)> change);
// Plans another operation of the same signature in its place.
FaultyFactory replacedBy(std::string operation);
// Plans the operation as if its regions returned their second argument.
FaultyFactory regionsReturnSecond();
// Two operands change places.
FaultyFactory swapped(size_t first, size_t second);
// Only where `applies`; the sound kernel elsewhere.
FaultyFactory where(std::function<bool(const KernelRequest&)> applies, FaultyFactory fault);
// Only where the first operand has such elements.
FaultyFactory where(bool (*is)(golden::ElementType), FaultyFactory fault);
// For `where`: the operation's region is this operation on its two arguments.
std::function<bool(const KernelRequest&)> foldsBy(const char* operation);

// An attribute of this kind, to change; null where there is none.
template <typename Kind>
Kind* fieldOf(golden::AttributeMap& fields, const char* name) {
  return const_cast<Kind*>(attributeField<Kind>(fields, name));
}
bool hasText(const KernelRequest& request, const char* attribute, std::string_view text);

// Calls change(value, i) with every element of a float tensor as a double, and
// stores what it returns, rounded. Tensors of other types stay.
template <typename Change>
void eachFloat(golden::Tensor& tensor, Change change) {
  visitElementType(tensor.type(), [&]<typename T>() {
    if constexpr (golden::kIsFloatStorage<T>) {
      const auto values = tensor.mutableValues<T>();
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(change(static_cast<double>(values[i]), i));
    }
  });
}

// The same for integers (not predicates), as int64_t.
template <typename Change>
void eachInteger(golden::Tensor& tensor, Change change) {
  visitElementType(tensor.type(), [&]<typename T>() {
    if constexpr (std::is_integral_v<T>) {
      const auto values = tensor.mutableValues<T>();
      for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<T>(change(static_cast<int64_t>(values[i]), i));
    }
  });
}

// Changes what the sound kernel computed, element by element.
template <typename Change>
FaultyFactory floatResults(Change change, size_t result = 0) {
  return results(
      [=](auto, ResultValues& results) { eachFloat(results.at(result).tensor, change); });
}
template <typename Change>
FaultyFactory integerResults(Change change, size_t result = 0) {
  return results(
      [=](auto, ResultValues& results) { eachInteger(results.at(result).tensor, change); });
}
inline FaultyFactory negatedResult(size_t result) {
  return floatResults([](double y, size_t) { return -y; }, result);
}

// The elements of a float or integer tensor as doubles.
std::vector<double> numbers(const golden::Tensor& tensor);

// A fault of a function of one operand: change(x, f(x)) instead of f(x), for floats.
template <typename Change>
FaultyFactory unary(Change change) {
  return results([change](OperandValues operands, ResultValues& results) {
    const std::vector<double> x = numbers(operands[0].tensor);
    eachFloat(results[0].tensor, [&](double y, size_t i) { return change(x[i], y); });
  });
}

// The same of two operands of the result's shape.
template <typename Change>
FaultyFactory binary(Change change) {
  return results([change](OperandValues operands, ResultValues& results) {
    const std::vector<double> x = numbers(operands[0].tensor), y = numbers(operands[1].tensor);
    eachFloat(results[0].tensor, [&](double z, size_t i) { return change(x[i], y[i], z); });
  });
}

}  // namespace vintage::harness::damage
