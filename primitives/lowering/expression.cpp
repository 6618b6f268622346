#include "primitives/lowering/expression.h"

#include <numeric>

#include "primitives/lowering/chlo/functions.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

const char* comparisonType(ElementType type) {
  if (isFloat(type) || isComplex(type)) return "FLOAT";
  return isSignedInteger(type) ? "SIGNED" : "UNSIGNED";
}

}  // namespace

SsaValue SsaValue::like(double number) const { return builder->fill(type, number, shape); }

SsaValue SsaValue::broadcastTo(Shape wide) const {
  return wide.empty() ? *this : broadcast(*this, std::move(wide));
}

SsaValue emitOne(TensorType result, std::string_view name, const Operands& operands,
                 AttributeMap attributes, std::vector<Region> regions) {
  return operands.front()
      .builder->emit({std::move(result)}, name, operands, std::move(attributes), std::move(regions))
      .front();
}

SsaValue same(std::string_view name, const Operands& operands) {
  return emitOne(typeOf(operands.front()), name, operands);
}

SsaValue convert(std::string_view name, const SsaValue& operand, ElementType type, Shape shape) {
  return emitOne({type, std::move(shape)}, name, {operand});
}

SsaValue convert(const SsaValue& operand, ElementType type) {
  if (operand.type == type) return operand;
  return convert("stablehlo.convert", operand, type, operand.shape);
}

SsaValue broadcast(const SsaValue& operand, std::span<const int64_t> dimensions, Shape shape) {
  return emitOne({operand.type, std::move(shape)}, "stablehlo.broadcast_in_dim", {operand},
                 {{"broadcast_dimensions", Shape(dimensions.begin(), dimensions.end())}});
}

Shape leadingAxes(size_t count) {
  Shape axes(count);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

SsaValue reshape(const SsaValue& operand, Shape shape) {
  return convert("stablehlo.reshape", operand, operand.type, std::move(shape));
}

SsaValue transpose(const SsaValue& operand, std::span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(operand.shape[static_cast<size_t>(axis)]);
  return emitOne({operand.type, std::move(shape)}, "stablehlo.transpose", {operand},
                 {{"permutation", Shape(permutation.begin(), permutation.end())}});
}

SsaValue reverse(const SsaValue& operand, const Shape& dimensions) {
  return emitOne(typeOf(operand), "stablehlo.reverse", {operand}, {{"dimensions", dimensions}});
}

SsaValue slice(const SsaValue& operand, const Shape& start, const Shape& limit,
               const Shape& strides) {
  Shape shape;
  for (size_t i = 0; i < start.size(); ++i)
    shape.push_back((limit[i] - start[i] + strides[i] - 1) / strides[i]);
  return emitOne({operand.type, std::move(shape)}, "stablehlo.slice", {operand},
                 {{"start_indices", start}, {"limit_indices", limit}, {"strides", strides}});
}

SsaValue sliceAlong(const SsaValue& operand, size_t axis, int64_t start, int64_t limit,
                    int64_t stride) {
  Shape from(operand.shape.size(), 0), to = operand.shape, strides(from.size(), 1);
  from[axis] = start;
  to[axis] = limit;
  strides[axis] = stride;
  return slice(operand, from, to, strides);
}

SsaValue element(const SsaValue& operand, int64_t index) {
  return reshape(slice(operand, {index}, {index + 1}), {});
}

SsaValue pad(const SsaValue& operand, const SsaValue& value, const Shape& low, const Shape& high,
             const Shape& interior) {
  Shape shape;
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = operand.shape[i];
    shape.push_back(low[i] + size + std::max<int64_t>(size - 1, 0) * interior[i] + high[i]);
  }
  return emitOne(
      {operand.type, std::move(shape)}, "stablehlo.pad", {operand, value},
      {{"edge_padding_low", low}, {"edge_padding_high", high}, {"interior_padding", interior}});
}

SsaValue concatenate(const Operands& operands, size_t dimension) {
  TensorType result = typeOf(operands.front());
  result.shape[dimension] = 0;
  for (const SsaValue& operand : operands) result.shape[dimension] += operand.shape[dimension];
  return emitOne(std::move(result), "stablehlo.concatenate", operands,
                 {{"dimension", static_cast<int64_t>(dimension)}});
}

SsaValue dynamicSlice(const SsaValue& operand, const Operands& starts, Shape sizes) {
  Operands operands{operand};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return emitOne({operand.type, sizes}, "stablehlo.dynamic_slice", operands,
                 {{"slice_sizes", sizes}});
}

SsaValue dynamicUpdateSlice(const SsaValue& operand, const SsaValue& update,
                            const Operands& starts) {
  Operands operands{operand, update};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return emitOne(typeOf(operand), "stablehlo.dynamic_update_slice", operands);
}

SsaValue compare(std::string_view direction, const SsaValue& left, const SsaValue& right,
                 std::string_view kind) {
  if (kind.empty()) kind = comparisonType(left.type);
  return emitOne({ElementType::kI1, left.shape}, "stablehlo.compare", {left, right},
                 {{"comparison_direction", direction}, {"compare_type", kind}});
}

SsaValue select(const SsaValue& predicate, const SsaValue& onTrue, const SsaValue& onFalse) {
  return emitOne(typeOf(onTrue), "stablehlo.select", {predicate, onTrue, onFalse});
}

SsaValue realPart(const SsaValue& operand) {
  return convert("stablehlo.real", operand, realPart(operand.type), operand.shape);
}

SsaValue imaginaryPart(const SsaValue& operand) {
  return convert("stablehlo.imag", operand, realPart(operand.type), operand.shape);
}

SsaValue complexOf(const SsaValue& real, const SsaValue& imaginary) {
  const ElementType type = real.type == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
  return emitOne({type, real.shape}, "stablehlo.complex", {real, imaginary});
}

SsaValue conjugated(const SsaValue& operand) {
  if (!isComplex(operand.type)) return operand;
  const SsaValue real = realPart(operand);
  return complexOf(real, -imaginaryPart(operand));
}

SsaValue isFinite(const SsaValue& operand) {
  return convert("stablehlo.is_finite", operand, ElementType::kI1, operand.shape);
}

SsaValue dimensionSize(const SsaValue& operand, size_t dimension) {
  return emitOne({ElementType::kI32, {}}, "stablehlo.get_dimension_size", {operand},
                 {{"dimension", static_cast<int64_t>(dimension)}});
}

SsaValue operator+(const SsaValue& a, const SsaValue& b) { return same("stablehlo.add", a, b); }
SsaValue operator-(const SsaValue& a, const SsaValue& b) {
  return same("stablehlo.subtract", a, b);
}
SsaValue operator*(const SsaValue& a, const SsaValue& b) {
  return same("stablehlo.multiply", a, b);
}
SsaValue operator/(const SsaValue& a, const SsaValue& b) { return same("stablehlo.divide", a, b); }
SsaValue operator-(const SsaValue& a) { return same("stablehlo.negate", a); }
SsaValue operator&(const SsaValue& a, const SsaValue& b) { return same("stablehlo.and", a, b); }
SsaValue operator|(const SsaValue& a, const SsaValue& b) { return same("stablehlo.or", a, b); }
SsaValue operator!(const SsaValue& a) { return same("stablehlo.not", a); }

SsaValue any(const SsaValue& predicate) {
  return predicate.shape.empty() ? predicate : reduceAll("or", predicate);
}

SsaValue lgamma(const SsaValue& x) { return chlo::elementwise("lgamma", {x}); }
SsaValue digamma(const SsaValue& x) { return chlo::elementwise("digamma", {x}); }

}  // namespace vintage::primitives
