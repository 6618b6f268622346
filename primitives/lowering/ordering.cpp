#include "primitives/lowering/ordering.h"

#include <limits>

namespace vintage {
namespace {

// -0 becomes 0 and every NaN the canonical one, so that a total order serves.
Value canonical(FunctionWriter& function, const Value& key) {
  const Value zero = function.number(key.type, 0);
  const Value isZero = function.compare("EQ", key, zero);
  const Value unsignedZero = function.select(isZero, zero, key);
  const Value isNan = function.compare("NE", key, key);
  const Value nan = function.number(key.type, std::numeric_limits<double>::quiet_NaN());
  return function.select(isNan, nan, unsignedZero);
}

// The parts in the order of their weight.
std::vector<Value> keysOf(FunctionWriter& function, const Value& operand) {
  if (isComplex(operand.type)) {
    const Value real = canonical(function, function.real(operand));
    return {real, canonical(function, function.imaginary(operand))};
  }
  if (isFloat(operand.type)) return {canonical(function, operand)};
  return {operand};
}

Value compareKeys(FunctionWriter& function, std::string_view direction, const Value& left,
                  const Value& right) {
  return isFloat(left.type) ? function.compareTotalOrder(direction, left, right)
                            : function.compare(direction, left, right);
}

}  // namespace

Value compareLexicographically(FunctionWriter& function, std::string_view direction,
                               const Value& left, const Value& right) {
  const Value leftReal = function.real(left), rightReal = function.real(right);
  const Value tie = function.compare("EQ", leftReal, rightReal);
  const Value byReal = function.compare(direction, leftReal, rightReal);
  const Value leftImaginary = function.imaginary(left), rightImaginary = function.imaginary(right);
  const Value byImaginary = function.compare(direction, leftImaginary, rightImaginary);
  return function.select(tie, byImaginary, byReal);
}

Value extremeOf(FunctionWriter& function, bool larger, const Value& left, const Value& right) {
  if (isComplex(left.type)) {
    return function.select(compareLexicographically(function, larger ? "GT" : "LT", left, right),
                           left, right);
  }
  return function.same(larger ? "stablehlo.maximum" : "stablehlo.minimum", left, right);
}

Value comesBefore(FunctionWriter& function, std::span<const Value> left,
                  std::span<const Value> right) {
  std::vector<Value> leftKeys, rightKeys;
  for (size_t i = 0; i < left.size(); ++i) {
    for (Value& key : keysOf(function, left[i])) leftKeys.push_back(std::move(key));
    for (Value& key : keysOf(function, right[i])) rightKeys.push_back(std::move(key));
  }
  Value result = compareKeys(function, "LT", leftKeys.back(), rightKeys.back());
  for (size_t i = leftKeys.size() - 1; i-- > 0;) {
    const Value before = compareKeys(function, "LT", leftKeys[i], rightKeys[i]);
    const Value equal = compareKeys(function, "EQ", leftKeys[i], rightKeys[i]);
    result = function.same("stablehlo.or", before, function.same("stablehlo.and", equal, result));
  }
  return result;
}

}  // namespace vintage
