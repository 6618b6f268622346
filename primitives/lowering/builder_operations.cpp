// Constants, single operations and calls.
#include <algorithm>
#include <cmath>

#include "primitives/lowering/builder.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives::lowering {
namespace {

const char* comparisonType(ElementType type) {
  if (isFloat(type) || isComplex(type)) return "FLOAT";
  return isSignedInteger(type) ? "SIGNED" : "UNSIGNED";
}

// The size that `value` stands for, where it is symbolic.
std::optional<int64_t> symbolicSize(double value) {
  if (std::abs(value) > 1e18 || value != std::floor(value)) return {};
  const auto size = static_cast<int64_t>(value);
  if (!isSymbolic(size)) return {};
  return size;
}

}  // namespace

SsaValue FunctionBuilder::literal(ElementType type, Shape shape, std::string literal) {
  if (isDynamic() && std::ranges::any_of(shape, isSymbolic)) {
    return broadcast(this->literal(type, {}, std::move(literal)), std::move(shape));
  }
  for (const BuiltConstant& known : function_.constants) {
    if (known.value.type == type && known.value.shape == shape && known.literal == literal)
      return known.value;
  }
  function_.constants.push_back({newValue({type, std::move(shape)}), std::move(literal)});
  return function_.constants.back().value;
}

SsaValue FunctionBuilder::constant(ElementType type, int64_t value) {
  if (isDynamic() && isSymbolic(value)) return convert(dimension(value), type);
  return literal(type, {}, integerLiteralText(type, value));
}

SsaValue FunctionBuilder::constant(ElementType type, std::span<const int64_t> values) {
  if (isDynamic() && std::ranges::any_of(values, isSymbolic)) return convert(sizes(values), type);
  return literal(type, {static_cast<int64_t>(values.size())},
                 values.empty()       ? ""
                 : values.size() == 1 ? std::to_string(values[0])
                                      : listText(values));
}

SsaValue FunctionBuilder::number(ElementType type, double value) {
  if (isDynamic()) {
    if (const auto size = symbolicSize(value)) return convert(dimension(*size), type);
  }
  return literal(type, {}, literalText(type, value));
}

SsaValue FunctionBuilder::fill(ElementType type, double value, Shape shape) {
  const SsaValue scalar = number(type, value);
  return shape.empty() ? scalar : broadcast(scalar, std::move(shape));
}

SsaValue FunctionBuilder::fillLiteral(ElementType type, std::string literal, Shape shape) {
  const SsaValue scalar = this->literal(type, {}, std::move(literal));
  return shape.empty() ? scalar : broadcast(scalar, std::move(shape));
}

SsaValue FunctionBuilder::same(std::string_view name, const Operands& operands) {
  return emitOne(typeOf(operands.front()), name, operands);
}

SsaValue FunctionBuilder::convert(std::string_view name, const SsaValue& operand, ElementType type,
                                  Shape shape) {
  return emitOne({type, std::move(shape)}, name, {operand});
}

SsaValue FunctionBuilder::convert(const SsaValue& operand, ElementType type) {
  if (operand.type == type) return operand;
  return convert("stablehlo.convert", operand, type, operand.shape);
}

SsaValue FunctionBuilder::broadcast(const SsaValue& operand, std::span<const int64_t> dimensions,
                                    Shape shape) {
  return emitOne({operand.type, std::move(shape)}, "stablehlo.broadcast_in_dim", {operand},
                 {{"dims", Shape(dimensions.begin(), dimensions.end())}});
}

SsaValue FunctionBuilder::reshape(const SsaValue& operand, Shape shape) {
  return convert("stablehlo.reshape", operand, operand.type, std::move(shape));
}

SsaValue FunctionBuilder::transpose(const SsaValue& operand, std::span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(operand.shape[static_cast<size_t>(axis)]);
  return emitOne({operand.type, std::move(shape)}, "stablehlo.transpose", {operand},
                 {{"dims", Shape(permutation.begin(), permutation.end())}});
}

SsaValue FunctionBuilder::reverse(const SsaValue& operand, const Shape& dimensions) {
  return emitOne(typeOf(operand), "stablehlo.reverse", {operand}, {{"dims", dimensions}});
}

SsaValue FunctionBuilder::iota(ElementType type, Shape shape, int64_t dimension) {
  return emitOne({type, std::move(shape)}, "stablehlo.iota", {}, {{"dim", dimension}});
}

SsaValue FunctionBuilder::slice(const SsaValue& operand, const Shape& start, const Shape& limit,
                                const Shape& strides) {
  Shape shape;
  for (size_t i = 0; i < start.size(); ++i) {
    shape.push_back((limit[i] - start[i] + strides[i] - 1) / strides[i]);
  }
  return emitOne({operand.type, std::move(shape)}, "stablehlo.slice", {operand},
                 {{"start", start}, {"limit", limit}, {"strides", strides}});
}

SsaValue FunctionBuilder::sliceAlong(const SsaValue& operand, size_t axis, int64_t start,
                                     int64_t limit, int64_t stride) {
  Shape from(operand.shape.size(), 0), to = operand.shape, strides(from.size(), 1);
  from[axis] = start;
  to[axis] = limit;
  strides[axis] = stride;
  return slice(operand, from, to, strides);
}

SsaValue FunctionBuilder::element(const SsaValue& operand, int64_t index) {
  return reshape(slice(operand, {index}, {index + 1}), {});
}

SsaValue FunctionBuilder::pad(const SsaValue& operand, const SsaValue& value, const Shape& low,
                              const Shape& high, const Shape& interior) {
  Shape shape;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = operand.shape[i];
    shape.push_back(low[i] + size + std::max<int64_t>(size - 1, 0) * interior[i] + high[i]);
  }
  return emitOne({operand.type, std::move(shape)}, "stablehlo.pad", {operand, value},
                 {{"low", low}, {"high", high}, {"interior", interior}});
}

SsaValue FunctionBuilder::concatenate(const Operands& operands, size_t dimension) {
  TensorType result = typeOf(operands.front());
  result.shape[dimension] = 0;
  for (const SsaValue& operand : operands) result.shape[dimension] += operand.shape[dimension];
  return emitOne(std::move(result), "stablehlo.concatenate", operands,
                 {{"dim", static_cast<int64_t>(dimension)}});
}

SsaValue FunctionBuilder::dynamicSlice(const SsaValue& operand, const Operands& starts,
                                       Shape sizes) {
  Operands operands{operand};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return emitOne({operand.type, sizes}, "stablehlo.dynamic_slice", operands, {{"sizes", sizes}});
}

SsaValue FunctionBuilder::dynamicUpdateSlice(const SsaValue& operand, const SsaValue& update,
                                             const Operands& starts) {
  Operands operands{operand, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return emitOne(typeOf(operand), "stablehlo.dynamic_update_slice", operands);
}

SsaValue FunctionBuilder::compare(std::string_view direction, const SsaValue& left,
                                  const SsaValue& right) {
  return emitOne({ElementType::kI1, left.shape}, "stablehlo.compare", {left, right},
                 {{"direction", std::string(direction)}, {"type", comparisonType(left.type)}});
}

SsaValue FunctionBuilder::compareTotalOrder(std::string_view direction, const SsaValue& left,
                                            const SsaValue& right) {
  return emitOne({ElementType::kI1, left.shape}, "stablehlo.compare", {left, right},
                 {{"direction", std::string(direction)}, {"type", "TOTALORDER"}});
}

SsaValue FunctionBuilder::select(const SsaValue& predicate, const SsaValue& onTrue,
                                 const SsaValue& onFalse) {
  return emitOne(typeOf(onTrue), "stablehlo.select", {predicate, onTrue, onFalse});
}

SsaValue FunctionBuilder::real(const SsaValue& operand) {
  return convert("stablehlo.real", operand, realPart(operand.type), operand.shape);
}

SsaValue FunctionBuilder::imaginary(const SsaValue& operand) {
  return convert("stablehlo.imag", operand, realPart(operand.type), operand.shape);
}

SsaValue FunctionBuilder::complex(const SsaValue& real, const SsaValue& imaginary) {
  const ElementType type = real.type == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
  return emitOne({type, real.shape}, "stablehlo.complex", {real, imaginary});
}

SsaValues FunctionBuilder::customCall(std::string target, const Operands& operands, Types results,
                                      NamedAttributes attributes) {
  return add({.name = "stablehlo.custom_call",
              .symbol = std::move(target),
              .operands = operands,
              .attributes = std::move(attributes)},
             std::move(results));
}

SsaValues FunctionBuilder::call(const std::string& function, const Operands& operands,
                                Types results) {
  SsaValues all = dimensionValues_;
  all.insert(all.end(), operands.begin(), operands.end());
  return add({.name = "call", .symbol = function, .operands = std::move(all)}, std::move(results));
}

}  // namespace vintage::primitives::lowering
