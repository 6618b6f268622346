#include "primitives/lowering/operations.h"

#include <algorithm>
#include <utility>

namespace vintage::primitives {
using namespace golden;

namespace {

// -0 becomes 0 and every NaN the canonical one, so that a total order serves.
SsaValue canonical(const SsaValue& key) {
  FunctionBuilder& function = *key.builder;
  const SsaValue zero = function.number(key.type, 0);
  const SsaValue isZero = compare("EQ", key, zero);
  const SsaValue unsignedZero = select(isZero, zero, key);
  const SsaValue isNan = compare("NE", key, key);
  const SsaValue nan = function.number(key.type, oracle::kNan);
  return select(isNan, nan, unsignedZero);
}

// The parts in the order of their weight.
SsaValues keysOf(const SsaValue& operand) {
  if (isComplex(operand.type))
    return {canonical(realPart(operand)), canonical(imaginaryPart(operand))};
  if (isFloat(operand.type)) return {canonical(operand)};
  return {operand};
}

SsaValue compareKeys(std::string_view direction, const SsaValue& left, const SsaValue& right) {
  return compare(direction, left, right, isFloat(left.type) ? "TOTALORDER" : "");
}

std::string_view operationOf(std::string_view function) {
  static constexpr std::pair<std::string_view, std::string_view> kOperations[] = {
      {"add", "stablehlo.add"},     {"mul", "stablehlo.multiply"}, {"max", "stablehlo.maximum"},
      {"min", "stablehlo.minimum"}, {"and", "stablehlo.and"},      {"or", "stablehlo.or"},
      {"xor", "stablehlo.xor"}};
  return std::ranges::find(kOperations, function, [](const auto& pair) { return pair.first; })
      ->second;
}

}  // namespace

SsaValue compareLexicographically(std::string_view direction, const SsaValue& left,
                                  const SsaValue& right) {
  const SsaValue leftReal = realPart(left), rightReal = realPart(right);
  const SsaValue tie = compare("EQ", leftReal, rightReal);
  const SsaValue byReal = compare(direction, leftReal, rightReal);
  const SsaValue leftImaginary = imaginaryPart(left), rightImaginary = imaginaryPart(right);
  const SsaValue byImaginary = compare(direction, leftImaginary, rightImaginary);
  return select(tie, byImaginary, byReal);
}

SsaValue extremeOf(bool larger, const SsaValue& left, const SsaValue& right) {
  if (isComplex(left.type))
    return select(compareLexicographically(larger ? "GT" : "LT", left, right), left, right);
  return same(larger ? "stablehlo.maximum" : "stablehlo.minimum", left, right);
}

SsaValue comesBefore(Arguments left, Arguments right) {
  SsaValues leftKeys, rightKeys;
  for (size_t i = 0; i < left.size(); ++i) {
    for (SsaValue& key : keysOf(left[i])) leftKeys.push_back(std::move(key));
    for (SsaValue& key : keysOf(right[i])) rightKeys.push_back(std::move(key));
  }
  SsaValue result = compareKeys("LT", leftKeys.back(), rightKeys.back());
  for (size_t i = leftKeys.size() - 1; i-- > 0;) {
    const SsaValue before = compareKeys("LT", leftKeys[i], rightKeys[i]);
    const SsaValue equal = compareKeys("EQ", leftKeys[i], rightKeys[i]);
    result = same("stablehlo.or", before, equal & result);
  }
  return result;
}

SsaValue identityOf(std::string_view function, const SsaValue& operand) {
  return operand.builder->constant(
      filledWith(operand.type, {}, oracle::Accumulator::identity(function, operand.type)));
}

SsaValue combined(std::string_view function, const SsaValue& left, const SsaValue& right) {
  if (function == "replace") return right;
  if (function == "max" || function == "min") return extremeOf(function == "max", left, right);
  return same(operationOf(function), left, right);
}

SsaValue reduceAlong(std::string_view function, const SsaValue& operand,
                     std::span<const int64_t> dimensions) {
  const SsaValue initial = identityOf(function, operand);
  TensorType result{operand.type, {}};
  for (size_t i = 0; i < operand.shape.size(); ++i) {
    if (std::ranges::find(dimensions, static_cast<int64_t>(i)) == dimensions.end())
      result.shape.push_back(operand.shape[i]);
  }
  return emitOne(std::move(result), "stablehlo.reduce", {operand, initial},
                 {{"dimensions", Shape(dimensions.begin(), dimensions.end())}},
                 {combiner(function, operand)});
}

SsaValue reduceAll(std::string_view function, const SsaValue& operand) {
  return reduceAlong(function, operand, leadingAxes(operand.shape.size()));
}

Region combiner(std::string_view function, const SsaValue& operand) {
  const TensorType scalar{operand.type, {}};
  return operand.builder->region(
      {scalar, scalar}, [&](Arguments pair) { return combined(function, pair[0], pair[1]); });
}

}  // namespace vintage::primitives
