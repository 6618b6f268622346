// Operations of modules with dimension variables: what a static operation has as a
// number in its attributes, its dynamic form takes as an operand.
#include <algorithm>

#include "primitives/lowering/expression.h"
#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

bool anySymbolic(std::span<const int64_t> sizes) { return std::ranges::any_of(sizes, isSymbolic); }

// A static operation, its dynamic form, and the attributes that become operands;
// none: the shape of the result becomes one.
struct DynamicForm {
  std::string_view name, dynamicName;
  std::vector<std::string_view> sizes = {};
};

const DynamicForm kDynamicForms[] = {
    {"stablehlo.broadcast_in_dim", "stablehlo.dynamic_broadcast_in_dim"},
    {"stablehlo.iota", "stablehlo.dynamic_iota"},
    {"stablehlo.reshape", "stablehlo.dynamic_reshape"},
    {"stablehlo.slice",
     "stablehlo.real_dynamic_slice",
     {"start_indices", "limit_indices", "strides"}},
    {"stablehlo.pad",
     "stablehlo.dynamic_pad",
     {"edge_padding_low", "edge_padding_high", "interior_padding"}},
    {"stablehlo.gather", "stablehlo.dynamic_gather", {"slice_sizes"}},
    {"stablehlo.dynamic_slice", "stablehlo.real_dynamic_slice", {"slice_sizes"}},
};

}  // namespace

bool FunctionBuilder::isDynamic() const { return !module_.dimensionVariables().empty(); }

SsaValue FunctionBuilder::dimension(int64_t size) {
  const auto symbolic = symbolicDimension(size);
  if (!symbolic) return constant(ElementType::kI32, size);
  const std::vector<std::string>& names = module_.dimensionVariables();
  const auto variable = [&](std::string_view name) {
    const auto found = std::ranges::find(names, name);
    return dimensionValues_[static_cast<size_t>(found - names.begin())];
  };
  SsaValues terms;
  const auto add = [&](int64_t factor, const SsaValue& monomial) {
    terms.push_back(
        factor == 1 ? monomial
                    : same("stablehlo.multiply", monomial, constant(ElementType::kI32, factor)));
  };
  if (symbolic->bc != 0)
    add(symbolic->bc, same("stablehlo.multiply", variable("b"), variable("c")));
  if (symbolic->b != 0) add(symbolic->b, variable("b"));
  if (symbolic->c != 0) add(symbolic->c, variable("c"));
  if (symbolic->constant != 0) terms.push_back(constant(ElementType::kI32, symbolic->constant));
  SsaValue sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) sum = same("stablehlo.add", sum, terms[i]);
  return sum;
}

SsaValue FunctionBuilder::sizes(std::span<const int64_t> sizes) {
  if (!anySymbolic(sizes)) return constant(ElementType::kI32, sizes);
  SsaValues parts;
  for (int64_t size : sizes) parts.push_back(reshape(dimension(size), {1}));
  return parts.size() == 1 ? parts[0] : concatenate(parts, 0);
}

// dynamic_slice moves its start inside; real_dynamic_slice takes it as it is.
Operands FunctionBuilder::boundsInside(const Operands& operands, const Shape& lengths) {
  SsaValues starts;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const SsaValue size = dimensionSize(operands[0], i);
    const SsaValue last = same("stablehlo.subtract", size, dimension(lengths[i]));
    const SsaValue zero = constant(ElementType::kI32, 0);
    starts.push_back(reshape(same("stablehlo.clamp", {zero, operands[i + 1], last}), {1}));
  }
  const SsaValue start = starts.size() == 1 ? starts[0] : concatenate(starts, 0);
  const SsaValue limit = same("stablehlo.add", start, sizes(lengths));
  return {operands[0], start, limit, sizes(Shape(lengths.size(), 1))};
}

void FunctionBuilder::makeDynamic(std::string& name, Operands& operands, AttributeMap& attributes,
                                  std::span<const TensorType> results) {
  const auto form = std::ranges::find(kDynamicForms, name, &DynamicForm::name);
  if (form == std::end(kDynamicForms)) return;
  std::vector<Shape> sizes;
  for (const std::string_view attribute : form->sizes)
    sizes.push_back(std::get<Shape>(attributes.find(attribute)->second.value));
  if (form->sizes.empty()) sizes.push_back(results[0].shape);
  if (std::ranges::none_of(sizes, anySymbolic)) return;
  if (name == "stablehlo.dynamic_slice") {
    operands = boundsInside(operands, sizes[0]);
  } else {
    for (const Shape& shape : sizes) operands.push_back(this->sizes(shape));
  }
  for (const std::string_view attribute : form->sizes) attributes.erase(attributes.find(attribute));
  name = form->dynamicName;
}

}  // namespace vintage::primitives
