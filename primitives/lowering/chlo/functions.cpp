#include "primitives/lowering/chlo/functions.h"

#include <algorithm>

#include <fmt/format.h>

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

// The serialized form of an operation of CHLO that JAX leaves to the compiler.
SsaValues call(std::string_view name, const Operands& operands, const Types& results,
               AttributeMap attributes = {}) {
  return operands[0].builder->customCall(
      fmt::format("mhlo.{}", name), operands, results,
      {{"mhlo.attributes", std::move(attributes)}, {"mhlo.version", 1}});
}

template <typename Decompose>
SsaValues composite(std::string_view name, const Operands& operands, AttributeMap attributes,
                    Decompose decompose) {
  return callComposite(fmt::format("chlo.{}", name), fmt::format("chlo.{}.impl", name), operands,
                       std::move(attributes), decompose);
}

struct Function {
  std::string_view name;
  SsaValue (*unary)(const SsaValue&) = nullptr;
  SsaValue (*binary)(const SsaValue&, const SsaValue&) = nullptr;
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

// Element by element. Narrow floats are computed in f32 where CHLO does so.
SsaValue decomposed(std::string_view name, const Operands& operands) {
  const Function& function = *std::ranges::find(kFunctions, name, &Function::name);
  const ElementType type = operands[0].type;
  const ElementType computed = function.widened && bitWidth(type) < 32 ? ElementType::kF32 : type;
  SsaValues values;
  for (const SsaValue& operand : operands) values.push_back(convert(operand, computed));
  const SsaValue result =
      function.unary ? function.unary(values[0]) : function.binary(values[0], values[1]);
  return convert(result, type);
}

// A stable sort of values and positions in descending order, and its first elements.
SsaValues sortedTopK(const SsaValue& operand, int64_t k) {
  FunctionBuilder& builder = *operand.builder;
  const auto last = static_cast<int64_t>(operand.shape.size()) - 1;
  const TensorType scalar{operand.type, {}}, position{ElementType::kI32, {}};
  const SsaValue positions = iotaLike(operand, ElementType::kI32, last);
  Region before = builder.region({scalar, scalar, position, position}, [&](Arguments v) {
    AttributeMap attributes{{"comparison_direction", "GT"}};
    if (isFloat(operand.type)) attributes.emplace("compare_type", "TOTALORDER");
    return SsaValues{
        emitOne({ElementType::kI1, {}}, "stablehlo.compare", {v[0], v[1]}, std::move(attributes))};
  });
  const SsaValues sorted =
      builder.emit({typeOf(operand), typeOf(positions)}, "stablehlo.sort", {operand, positions},
                   {{"dimension", last}, {"is_stable", true}}, {std::move(before)});
  return {leading(sorted[0], k), leading(sorted[1], k)};
}

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

SsaValue cast(const SsaValue& x, ElementType type) {
  return convert("stablehlo.bitcast_convert", x, type, x.shape);
}

}  // namespace

SsaValue elementwise(std::string_view name, const Operands& operands) {
  switch (operands[0].builder->module().profile().formOf(name, operands[0].type)) {
    case ChloForm::kOperations:
      return decomposed(name, operands);
    case ChloForm::kCall:
      return call(name, operands, {typeOf(operands[0])}).front();
    case ChloForm::kComposite:
      break;
  }
  return composite(name, operands, {}, [&](Arguments x) { return decomposed(name, x); }).front();
}

SsaValues topK(const SsaValue& operand, int64_t k) {
  TensorType values = typeOf(operand);
  values.shape.back() = k;
  switch (operand.builder->module().profile().formOf("top_k", operand.type)) {
    case ChloForm::kOperations:
      return sortedTopK(operand, k);
    case ChloForm::kCall:
      return call("topk", {operand}, {values, {ElementType::kI32, values.shape}}, {{"k", k}});
    case ChloForm::kComposite:
      break;
  }
  return composite("top_k", {operand}, {{"is_stable", true}, {"k", k}},
                   [&](Arguments x) { return sortedTopK(x[0], k); });
}

// Works on the bits of a float: they order the numbers of one sign.
SsaValue nextAfter(const SsaValue& from, const SsaValue& to) {
  const ElementType bits = bitsOf(from.type);
  const int64_t sign = INT64_MIN >> (64 - bitWidth(bits));
  const SsaValue x = cast(from, bits), y = cast(to, bits);
  const auto integer = [&](int64_t value) { return constantLike(x, bits, value); };
  const SsaValue fromNan = compared("NE", from, from);
  const SsaValue anyNan = fromNan | compared("NE", to, to);
  const SsaValue nan = cast(constantLike(from, oracle::kNan), bits);
  const SsaValue signMask = integer(sign), sizeMask = integer(~sign);
  const SsaValue xSize = x & sizeMask, ySize = y & sizeMask;
  const SsaValue alike = compared("EQ", from, to);
  const SsaValue zero = integer(0);
  const SsaValue xZero = compared("EQ", xSize, zero), yZero = compared("EQ", ySize, zero);
  const SsaValue xSign = x & signMask, ySign = y & signMask;
  const SsaValue one = integer(1);
  const SsaValue smallest = ySign | one;
  const SsaValue apart = compared("NE", xSign, ySign);
  const SsaValue inward = compared("GT", xSize, ySize) | apart;
  const SsaValue stepped = x + select(inward, integer(-1), one);
  const SsaValue fromZero = select(yZero, y, smallest);
  const SsaValue moved = select(xZero, fromZero, stepped);
  const SsaValue result = select(anyNan, nan, select(alike, y, moved));
  return cast(result, from.type);
}

}  // namespace vintage::primitives::chlo
