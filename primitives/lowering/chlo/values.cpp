#include "primitives/lowering/chlo/functions.h"

#include <algorithm>

#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

bool isDynamic(const SsaValue& x) { return std::ranges::any_of(x.shape, isSymbolic); }

// The sizes of x as an operand: tensor<NxTYPE>.
// Sizes in `shape` that are numbers may be others than x's.
SsaValue shapeOf(const SsaValue& x, const Shape& shape, ElementType type) {
  Operands sizes;
  for (size_t i = 0; i < shape.size(); ++i) {
    const SsaValue size = isSymbolic(shape[i]) ? convert(dimensionSize(x, i), type)
                                               : x.builder->constant(type, shape[i]);
    sizes.push_back(reshape(size, {1}));
  }
  return sizes.size() == 1 ? sizes[0] : concatenate(sizes, 0);
}

SsaValue filled(const SsaValue& x, ElementType type, const oracle::Number& value) {
  FunctionBuilder& builder = *x.builder;
  if (!isDynamic(x)) return builder.constant(filledWith(type, x.shape, value));
  const SsaValue scalar = builder.constant(filledWith(type, {}, value));
  return emitOne({type, x.shape}, "stablehlo.dynamic_broadcast_in_dim",
                 {scalar, shapeOf(x, x.shape, ElementType::kI32)},
                 {{"broadcast_dimensions", Shape{}}});
}

}  // namespace

SsaValue constantLike(const SsaValue& x, double value) { return filled(x, x.type, {0, value}); }

SsaValue constantLike(const SsaValue& x, ElementType type, int64_t value) {
  return filled(x, type, {value});
}

SsaValue iotaLike(const SsaValue& x, ElementType type, int64_t dimension) {
  FunctionBuilder& builder = *x.builder;
  if (!isDynamic(x)) return builder.iota(type, x.shape, dimension);
  return emitOne({type, x.shape}, "stablehlo.dynamic_iota",
                 {shapeOf(x, x.shape, ElementType::kI64)}, {{"iota_dimension", dimension}});
}

SsaValue leading(const SsaValue& x, int64_t count) {
  FunctionBuilder& builder = *x.builder;
  Shape shape = x.shape;
  shape.back() = count;
  if (!isDynamic(x)) return slice(x, Shape(shape.size(), 0), shape);
  const Shape zeros(shape.size(), 0), ones(shape.size(), 1);
  constexpr ElementType kSize = ElementType::kI64;
  return emitOne(
      {x.type, shape}, "stablehlo.real_dynamic_slice",
      {x, builder.constant(kSize, zeros), shapeOf(x, shape, kSize), builder.constant(kSize, ones)});
}

SsaValue compared(std::string_view direction, const SsaValue& a, const SsaValue& b) {
  return emitOne({ElementType::kI1, a.shape}, "stablehlo.compare", {a, b},
                 {{"comparison_direction", direction}});
}

SsaValue polynomial(const SsaValue& x, std::span<const double> coefficients) {
  SsaValue sum = constantLike(x, coefficients[0]) * x + constantLike(x, coefficients[1]);
  for (double coefficient : coefficients.subspan(2)) sum = sum * x + constantLike(x, coefficient);
  return sum;
}

}  // namespace vintage::primitives::chlo
