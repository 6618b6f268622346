// Constants, single operations and calls.
#include <algorithm>
#include <cmath>

#include "primitives/lowering/builder.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

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

Tensor filledWith(ElementType type, Shape shape, const oracle::Number& value) {
  Tensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) oracle::store(tensor, i, value);
  return tensor;
}

Tensor filledWith(ElementType type, Shape shape, double value) {
  const bool isInexact = isFloat(type) || isComplex(type);
  return filledWith(type, std::move(shape),
                    {isInexact ? oracle::Wide{0} : static_cast<oracle::Wide>(value), value, 0});
}

Tensor listOf(ElementType type, std::span<const double> values) {
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  for (int64_t i = 0; i < tensor.size(); ++i)
    oracle::store(tensor, i, {0, values[static_cast<size_t>(i)], 0});
  return tensor;
}

// Each new one stands above the earlier ones, where JAX's folder puts it.
SsaValue FunctionBuilder::constant(const Tensor& value) {
  for (const Constant& known : constants_) {
    if (known.content.identical(value)) return known.value;
  }
  constants_.push_back({newValue({value.type(), value.shape()}), value});
  const SsaValue& made = constants_.back().value;
  std::vector<Operation>& operations = function_.body.blocks.front().operations;
  operations.insert(operations.begin(),
                    {"stablehlo.constant", {{"value", value}}, {}, {made.id}, {}, {}});
  return made;
}

SsaValue FunctionBuilder::constant(ElementType type, int64_t value) {
  if (isDynamic() && isSymbolic(value)) return convert(dimension(value), type);
  return constant(filledWith(type, {}, oracle::Number{value}));
}

SsaValue FunctionBuilder::constant(ElementType type, std::span<const int64_t> values) {
  if (isDynamic() && std::ranges::any_of(values, isSymbolic)) return convert(sizes(values), type);
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  for (int64_t i = 0; i < tensor.size(); ++i)
    oracle::store(tensor, i, {values[static_cast<size_t>(i)]});
  return constant(tensor);
}

SsaValue FunctionBuilder::number(ElementType type, double value) {
  if (isDynamic()) {
    if (const auto size = symbolicSize(value)) return convert(dimension(*size), type);
  }
  return constant(filledWith(type, {}, value));
}

SsaValue FunctionBuilder::fill(ElementType type, double value, Shape shape) {
  const SsaValue scalar = number(type, value);
  return shape.empty() ? scalar : broadcast(scalar, std::move(shape));
}

SsaValue FunctionBuilder::fill(const Tensor& scalar, Shape shape) {
  const SsaValue value = constant(scalar);
  return shape.empty() ? value : broadcast(value, std::move(shape));
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
                 {{"broadcast_dimensions", Shape(dimensions.begin(), dimensions.end())}});
}

SsaValue FunctionBuilder::reshape(const SsaValue& operand, Shape shape) {
  return convert("stablehlo.reshape", operand, operand.type, std::move(shape));
}

SsaValue FunctionBuilder::transpose(const SsaValue& operand, std::span<const int64_t> permutation) {
  Shape shape;
  for (int64_t axis : permutation) shape.push_back(operand.shape[static_cast<size_t>(axis)]);
  return emitOne({operand.type, std::move(shape)}, "stablehlo.transpose", {operand},
                 {{"permutation", Shape(permutation.begin(), permutation.end())}});
}

SsaValue FunctionBuilder::reverse(const SsaValue& operand, const Shape& dimensions) {
  return emitOne(typeOf(operand), "stablehlo.reverse", {operand}, {{"dimensions", dimensions}});
}

SsaValue FunctionBuilder::iota(ElementType type, Shape shape, int64_t dimension) {
  return emitOne({type, std::move(shape)}, "stablehlo.iota", {}, {{"iota_dimension", dimension}});
}

SsaValue FunctionBuilder::slice(const SsaValue& operand, const Shape& start, const Shape& limit,
                                const Shape& strides) {
  Shape shape;
  for (size_t i = 0; i < start.size(); ++i) {
    shape.push_back((limit[i] - start[i] + strides[i] - 1) / strides[i]);
  }
  return emitOne({operand.type, std::move(shape)}, "stablehlo.slice", {operand},
                 {{"start_indices", start}, {"limit_indices", limit}, {"strides", strides}});
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
                 {{"edge_padding_low", low},
                  {"edge_padding_high", high},
                  {"interior_padding", interior}});
}

SsaValue FunctionBuilder::concatenate(const Operands& operands, size_t dimension) {
  TensorType result = typeOf(operands.front());
  result.shape[dimension] = 0;
  for (const SsaValue& operand : operands) result.shape[dimension] += operand.shape[dimension];
  return emitOne(std::move(result), "stablehlo.concatenate", operands,
                 {{"dimension", static_cast<int64_t>(dimension)}});
}

SsaValue FunctionBuilder::dynamicSlice(const SsaValue& operand, const Operands& starts,
                                       Shape sizes) {
  Operands operands{operand};
  operands.insert(operands.end(), starts.begin(), starts.end());
  return emitOne({operand.type, sizes}, "stablehlo.dynamic_slice", operands,
                 {{"slice_sizes", sizes}});
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
                 {{"comparison_direction", direction},
                  {"compare_type", comparisonType(left.type)}});
}

SsaValue FunctionBuilder::compareTotalOrder(std::string_view direction, const SsaValue& left,
                                            const SsaValue& right) {
  return emitOne({ElementType::kI1, left.shape}, "stablehlo.compare", {left, right},
                 {{"comparison_direction", direction}, {"compare_type", "TOTALORDER"}});
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

SsaValues FunctionBuilder::customCall(std::string target, const Operands& operands,
                                      const Types& results, AttributeMap attributes) {
  attributes.emplace("call_target_name", std::move(target));
  return emit(results, "stablehlo.custom_call", operands, std::move(attributes));
}

SsaValues FunctionBuilder::composite(std::string name, const Operands& operands,
                                     const Types& results, AttributeMap attributes,
                                     const std::string& decomposition) {
  AttributeMap all{{"name", std::move(name)},
                   {"decomposition", decomposition},
                   {"version", {int64_t{1}, ElementType::kI32}}};
  if (!attributes.empty()) all.emplace("composite_attributes", std::move(attributes));
  return emit(results, "stablehlo.composite", operands, std::move(all));
}

SsaValues FunctionBuilder::call(const std::string& function, const Operands& operands,
                                const Types& results) {
  SsaValues all = dimensionValues_;
  all.insert(all.end(), operands.begin(), operands.end());
  return emit(results, "func.call", all, {{"callee", function}});
}

}  // namespace vintage::primitives
