#include "primitives/lowering/ordering.h"

#include <limits>

namespace vintage::primitives::lowering {
namespace {

// -0 becomes 0 and every NaN the canonical one, so that a total order serves.
SsaValue canonical(FunctionWriter& function, const SsaValue& key) {
  const SsaValue zero = function.number(key.type, 0);
  const SsaValue isZero = function.compare("EQ", key, zero);
  const SsaValue unsignedZero = function.select(isZero, zero, key);
  const SsaValue isNan = function.compare("NE", key, key);
  const SsaValue nan = function.number(key.type, std::numeric_limits<double>::quiet_NaN());
  return function.select(isNan, nan, unsignedZero);
}

// The parts in the order of their weight.
std::vector<SsaValue> keysOf(FunctionWriter& function, const SsaValue& operand) {
  if (isComplex(operand.type)) {
    const SsaValue real = canonical(function, function.real(operand));
    return {real, canonical(function, function.imaginary(operand))};
  }
  if (isFloat(operand.type)) return {canonical(function, operand)};
  return {operand};
}

SsaValue compareKeys(FunctionWriter& function, std::string_view direction, const SsaValue& left,
                  const SsaValue& right) {
  return isFloat(left.type) ? function.compareTotalOrder(direction, left, right)
                            : function.compare(direction, left, right);
}

}  // namespace

SsaValue compareLexicographically(FunctionWriter& function, std::string_view direction,
                               const SsaValue& left, const SsaValue& right) {
  const SsaValue leftReal = function.real(left), rightReal = function.real(right);
  const SsaValue tie = function.compare("EQ", leftReal, rightReal);
  const SsaValue byReal = function.compare(direction, leftReal, rightReal);
  const SsaValue leftImaginary = function.imaginary(left),
                 rightImaginary = function.imaginary(right);
  const SsaValue byImaginary = function.compare(direction, leftImaginary, rightImaginary);
  return function.select(tie, byImaginary, byReal);
}

SsaValue extremeOf(FunctionWriter& function, bool larger, const SsaValue& left,
                   const SsaValue& right) {
  if (isComplex(left.type)) {
    return function.select(compareLexicographically(function, larger ? "GT" : "LT", left, right),
                           left, right);
  }
  return function.same(larger ? "stablehlo.maximum" : "stablehlo.minimum", left, right);
}

SsaValue comesBefore(FunctionWriter& function, std::span<const SsaValue> left,
                  std::span<const SsaValue> right) {
  std::vector<SsaValue> leftKeys, rightKeys;
  for (size_t i = 0; i < left.size(); ++i) {
    for (SsaValue& key : keysOf(function, left[i])) leftKeys.push_back(std::move(key));
    for (SsaValue& key : keysOf(function, right[i])) rightKeys.push_back(std::move(key));
  }
  SsaValue result = compareKeys(function, "LT", leftKeys.back(), rightKeys.back());
  for (size_t i = leftKeys.size() - 1; i-- > 0;) {
    const SsaValue before = compareKeys(function, "LT", leftKeys[i], rightKeys[i]);
    const SsaValue equal = compareKeys(function, "EQ", leftKeys[i], rightKeys[i]);
    result = function.same("stablehlo.or", before, function.same("stablehlo.and", equal, result));
  }
  return result;
}

}  // namespace vintage::primitives::lowering
