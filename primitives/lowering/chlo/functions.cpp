#include "primitives/lowering/chlo/functions.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

// What serialization makes of an operation of CHLO that it leaves to the compiler.
SsaValues call(FunctionBuilder& builder, std::string_view name, const Operands& operands,
               const Types& results, AttributeMap attributes = {}) {
  return builder.customCall(
      fmt::format("mhlo.{}", name), operands, results,
      {{"mhlo.attributes", std::move(attributes)}, {"mhlo.version", 1}});
}

template <typename Decompose>
SsaValues composite(FunctionBuilder& builder, std::string_view name, const Operands& operands,
                    const Types& results, AttributeMap attributes, Decompose decompose) {
  const std::string decomposition = builder.module().decompositionName(
      fmt::format("chlo.{}.impl", name), typesOf(operands), [&](FunctionBuilder& callee) {
        callee.finish(decompose(callee, Operands(callee.arguments())));
      });
  return builder.composite(fmt::format("chlo.{}", name), operands, results, std::move(attributes),
                           decomposition);
}

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

ElementType bitsOf(ElementType type) {
  switch (bitWidth(type)) {
    case 8:
      return ElementType::kI8;
    case 16:
      return ElementType::kI16;
    case 32:
      return ElementType::kI32;
    default:
      return ElementType::kI64;
  }
}

Expression cast(const Expression& x, ElementType type) {
  return {x.builder(),
          x.builder().convert("stablehlo.bitcast_convert", x.value(), type, x.shape())};
}

}  // namespace

SsaValue elementwise(FunctionBuilder& builder, std::string_view name, const Operands& operands) {
  const TensorType result = typeOf(operands[0]);
  switch (builder.module().profile().formOf(name, result.type)) {
    case ChloForm::kOperations:
      return decomposed(builder, name, operands);
    case ChloForm::kCall:
      return call(builder, name, operands, {result}).front();
    case ChloForm::kComposite:
      break;
  }
  return composite(builder, name, operands, {result}, {},
                   [&](FunctionBuilder& callee, const Operands& arguments) {
                     return SsaValues{decomposed(callee, name, arguments)};
                   })
      .front();
}

SsaValues topK(FunctionBuilder& builder, const SsaValue& operand, int64_t k) {
  TensorType values = typeOf(operand);
  values.shape.back() = k;
  const Types results{values, {ElementType::kI32, values.shape}};
  switch (builder.module().profile().formOf("top_k", operand.type)) {
    case ChloForm::kOperations:
      return sortedTopK(builder, operand, k);
    case ChloForm::kCall:
      return call(builder, "topk", {operand}, results, {{"k", k}});
    case ChloForm::kComposite:
      break;
  }
  return composite(builder, "top_k", {operand}, results,
                   {{"is_stable", true}, {"k", k}},
                   [&](FunctionBuilder& callee, const Operands& arguments) {
                     return sortedTopK(callee, arguments[0], k);
                   });
}

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

// On the bits of a float: they count the numbers of one sign upwards.
Expression nextAfter(const Expression& from, const Expression& to) {
  const ElementType bits = bitsOf(from.type());
  const int64_t sign = INT64_MIN >> (64 - bitWidth(bits));
  const Expression x = cast(from, bits), y = cast(to, bits);
  const auto integer = [&](int64_t value) { return constantLike(x, bits, value); };
  const Expression fromNan = compared("NE", from, from);
  const Expression anyNan = fromNan | compared("NE", to, to);
  const Expression nan = cast(constantLike(from, std::numeric_limits<double>::quiet_NaN()), bits);
  const Expression signMask = integer(sign), sizeMask = integer(~sign);
  const Expression xSize = x & sizeMask, ySize = y & sizeMask;
  const Expression alike = compared("EQ", from, to);
  const Expression zero = integer(0);
  const Expression xZero = compared("EQ", xSize, zero), yZero = compared("EQ", ySize, zero);
  const Expression xSign = x & signMask, ySign = y & signMask;
  const Expression one = integer(1);
  const Expression smallest = ySign | one;
  const Expression apart = compared("NE", xSign, ySign);
  const Expression inward = compared("GT", xSize, ySize) | apart;
  const Expression stepped = x + select(inward, integer(-1), one);
  const Expression fromZero = select(yZero, y, smallest);
  const Expression moved = select(xZero, fromZero, stepped);
  const Expression result = select(anyNan, nan, select(alike, y, moved));
  return cast(result, from.type());
}

}  // namespace vintage::primitives::chlo
