#include "primitives/lowering/chlo/decompositions.h"

#include <algorithm>

#include "primitives/lowering/chlo/values.h"

namespace vintage::primitives::lowering::chlo {
namespace {

struct Function {
  std::string_view name;
  Expression (*unary)(const Expression&) = nullptr;
  Expression (*binary)(const Expression&, const Expression&) = nullptr;
  bool widened = true;  // Whether narrow floats are computed in f32.
};

const Function kFunctions[] = {
    {"acos", acos, nullptr, false},
    {"acosh", acosh, nullptr, false},
    {"asin", asin, nullptr, false},
    {"asinh", asinh, nullptr, false},
    {"atan", atan, nullptr, false},
    {"atanh", atanh, nullptr, false},
    {"bessel_i1e", besselI1e},
    {"cosh", cosh},
    {"digamma", chlo::digamma},
    {"erf", erf},
    {"erf_inv", erfInv},
    {"erfc", erfc},
    {"exponential", exponential, nullptr, false},
    {"lgamma", chlo::lgamma},
    {"next_after", nullptr, nextAfter, false},
    {"polygamma", nullptr, polygamma},
    {"sinh", sinh},
    {"square", square, nullptr, false},
    {"tan", tan, nullptr, false},
    {"zeta", nullptr, zeta},
};

}  // namespace

SsaValue decomposed(FunctionBuilder& builder, std::string_view name, const Operands& operands) {
  const Function& function = *std::ranges::find(kFunctions, name, &Function::name);
  const ElementType type = operands[0].type;
  const ElementType computed = function.widened && bitWidth(type) < 32 ? ElementType::kF32 : type;
  std::vector<Expression> values;
  for (const SsaValue& operand : operands)
    values.push_back(Expression(builder, operand).to(computed));
  const Expression result =
      function.unary ? function.unary(values[0]) : function.binary(values[0], values[1]);
  return result.to(type);
}

// A stable sort in descending order beside the positions, and what is first.
SsaValues sortedTopK(FunctionBuilder& builder, const SsaValue& operand, int64_t k) {
  const auto last = static_cast<int64_t>(operand.shape.size()) - 1;
  const TensorType scalar{operand.type, {}}, position{ElementType::kI32, {}};
  const SsaValue positions = iotaLike(builder, operand, ElementType::kI32, last);
  Region before = builder.region({scalar, scalar, position, position}, [&](Arguments v) {
    AttributeMap attributes{{"comparison_direction", "GT"}};
    if (isFloat(operand.type)) attributes.emplace("compare_type", "TOTALORDER");
    return SsaValues{builder.emitOne({ElementType::kI1, {}}, "stablehlo.compare", {v[0], v[1]},
                                     std::move(attributes))};
  });
  const SsaValues sorted =
      builder.emit({typeOf(operand), typeOf(positions)}, "stablehlo.sort", {operand, positions},
                   {{"dimension", last}, {"is_stable", true}}, {std::move(before)});
  return {leading(builder, sorted[0], k), leading(builder, sorted[1], k)};
}

}  // namespace vintage::primitives::lowering::chlo
