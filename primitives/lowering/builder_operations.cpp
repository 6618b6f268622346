// Constants, single operations and calls.
#include <algorithm>
#include <cmath>

#include "primitives/lowering/expression.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

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
  return number(type, value).broadcastTo(std::move(shape));
}

SsaValue FunctionBuilder::fill(const Tensor& scalar, Shape shape) {
  return constant(scalar).broadcastTo(std::move(shape));
}

SsaValue FunctionBuilder::iota(ElementType type, Shape shape, int64_t dimension) {
  return emit({{type, std::move(shape)}}, "stablehlo.iota", {}, {{"iota_dimension", dimension}})[0];
}

SsaValues FunctionBuilder::customCall(std::string target, const Operands& operands,
                                      const Types& results, AttributeMap attributes) {
  attributes.emplace("call_target_name", std::move(target));
  return emit(results, "stablehlo.custom_call", operands, std::move(attributes));
}

SsaValues FunctionBuilder::composite(std::string name, const Operands& operands,
                                     AttributeMap attributes,
                                     const FunctionBuilder& decomposition) {
  AttributeMap all{{"name", std::move(name)},
                   {"decomposition", decomposition.name()},
                   {"version", {int64_t{1}, ElementType::kI32}}};
  if (!attributes.empty()) all.emplace("composite_attributes", std::move(attributes));
  return emit(decomposition.results(), "stablehlo.composite", operands, std::move(all));
}

SsaValues FunctionBuilder::call(const std::string& function, const Operands& operands,
                                const Types& results) {
  SsaValues all = dimensionValues_;
  all.insert(all.end(), operands.begin(), operands.end());
  return emit(results, "func.call", all, {{"callee", function}});
}

}  // namespace vintage::primitives
