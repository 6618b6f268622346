#include "primitives/lowering/operations.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "golden/oracle/number.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// -0 becomes 0 and every NaN the canonical one, so that a total order serves.
SsaValue canonical(FunctionBuilder& function, const SsaValue& key) {
  const SsaValue zero = function.number(key.type, 0);
  const SsaValue isZero = function.compare("EQ", key, zero);
  const SsaValue unsignedZero = function.select(isZero, zero, key);
  const SsaValue isNan = function.compare("NE", key, key);
  const SsaValue nan = function.number(key.type, std::numeric_limits<double>::quiet_NaN());
  return function.select(isNan, nan, unsignedZero);
}

// The parts in the order of their weight.
SsaValues keysOf(FunctionBuilder& function, const SsaValue& operand) {
  if (isComplex(operand.type)) {
    const SsaValue real = canonical(function, function.real(operand));
    return {real, canonical(function, function.imaginary(operand))};
  }
  if (isFloat(operand.type)) return {canonical(function, operand)};
  return {operand};
}

SsaValue compareKeys(FunctionBuilder& function, std::string_view direction, const SsaValue& left,
                     const SsaValue& right) {
  return isFloat(left.type) ? function.compareTotalOrder(direction, left, right)
                            : function.compare(direction, left, right);
}

}  // namespace

SsaValue compareLexicographically(FunctionBuilder& function, std::string_view direction,
                                  const SsaValue& left, const SsaValue& right) {
  const SsaValue leftReal = function.real(left), rightReal = function.real(right);
  const SsaValue tie = function.compare("EQ", leftReal, rightReal);
  const SsaValue byReal = function.compare(direction, leftReal, rightReal);
  const SsaValue leftImaginary = function.imaginary(left),
                 rightImaginary = function.imaginary(right);
  const SsaValue byImaginary = function.compare(direction, leftImaginary, rightImaginary);
  return function.select(tie, byImaginary, byReal);
}

SsaValue extremeOf(FunctionBuilder& function, bool larger, const SsaValue& left,
                   const SsaValue& right) {
  if (isComplex(left.type)) {
    return function.select(compareLexicographically(function, larger ? "GT" : "LT", left, right),
                           left, right);
  }
  return function.same(larger ? "stablehlo.maximum" : "stablehlo.minimum", left, right);
}

SsaValue comesBefore(FunctionBuilder& function, Arguments left, Arguments right) {
  SsaValues leftKeys, rightKeys;
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

namespace {

std::string_view operationOf(std::string_view function) {
  static constexpr std::pair<std::string_view, std::string_view> kOperations[] = {
      {"add", "stablehlo.add"},     {"mul", "stablehlo.multiply"}, {"max", "stablehlo.maximum"},
      {"min", "stablehlo.minimum"}, {"and", "stablehlo.and"},      {"or", "stablehlo.or"},
      {"xor", "stablehlo.xor"}};
  return std::ranges::find(kOperations, function, [](const auto& pair) { return pair.first; })
      ->second;
}

oracle::Number identity(std::string_view function, ElementType type) {
  const double infinity = std::numeric_limits<double>::infinity();
  if (function == "mul") return {1, 1};
  if (function == "and") return {-1};
  const bool isExact = !isFloat(type) && !isComplex(type);
  if (function == "max") return {isExact ? oracle::lowest(type) : 0, -infinity};
  if (function == "min") return {isExact ? oracle::highest(type) : 0, infinity};
  return {};
}

}  // namespace

SsaValue identityOf(FunctionBuilder& builder, std::string_view function, ElementType type) {
  return builder.constant(filledWith(type, {}, identity(function, type)));
}

SsaValue combined(FunctionBuilder& builder, std::string_view function, const SsaValue& left,
                  const SsaValue& right) {
  if (function == "replace") return right;
  if (function == "max" || function == "min") {
    return extremeOf(builder, function == "max", left, right);
  }
  return builder.same(operationOf(function), left, right);
}

SsaValue reduceAlong(FunctionBuilder& builder, std::string_view function, const SsaValue& operand,
                     std::span<const int64_t> dimensions) {
  const SsaValue initial = identityOf(builder, function, operand.type);
  TensorType result{operand.type, {}};
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    if (std::ranges::find(dimensions, static_cast<int64_t>(i)) == dimensions.end()) {
      result.shape.push_back(operand.shape[i]);
    }
  }
  return builder.emitOne(std::move(result), "stablehlo.reduce", {operand, initial},
                         {{"dimensions", Shape(dimensions.begin(), dimensions.end())}},
                         {combiner(builder, function, operand.type)});
}

SsaValue reduceAll(FunctionBuilder& builder, std::string_view function, const SsaValue& operand) {
  Shape all(operand.shape.size());
  std::iota(all.begin(), all.end(), 0);
  return reduceAlong(builder, function, operand, all);
}

Region combiner(FunctionBuilder& builder, std::string_view function, ElementType type) {
  return builder.region({{type, {}}, {type, {}}}, [&](Arguments pair) -> SsaValues {
    return {combined(builder, function, pair[0], pair[1])};
  });
}

}  // namespace vintage::primitives
