// Derivatives of functions that split and join complex numbers, of conversions, of identities and
// of constants.
#include <fmt/format.h>

#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {
using namespace golden;

namespace {

SsaValues writeReal(const Pullback& p) {
  return {complexOf(p.cotangents[0], p.cotangents[0].like(0))};
}

SsaValues writeImaginary(const Pullback& p) {
  const SsaValue zeros = p.cotangents[0].like(0);
  return {complexOf(zeros, -p.cotangents[0])};
}

SsaValues writeConjugate(const Pullback& p) {
  const SsaValue& g = p.cotangents[0];
  return {isComplex(p.inputs[0].type) ? conjugated(g) : realPart(g)};
}

SsaValues writeComplex(const Pullback& p) {
  return {realPart(p.cotangents[0]), imaginaryPart(-p.cotangents[0])};
}

// The modulus of a complex number: g times conj(z) / |z|, and 0 at zero.
SsaValues writeModulus(const Pullback& p) {
  const SsaValue& z = p.inputs[0];
  const SsaValue modulus = p.answers()[0];
  const SsaValue whole = complexOf(modulus, modulus.like(0));
  const SsaValue divisor = select(equal(whole, 0.0), whole.like(1), whole);
  const SsaValue conjugate = conjugated(z);
  const SsaValue& cotangent = p.cotangents[0];
  const SsaValue g = complexOf(cotangent, cotangent.like(0));
  return {g * (conjugate / divisor)};
}

std::vector<Tensor> modulusOracle(const PullbackValues& values) {
  const Tensor& z = values.inputs[0];
  return {oracle::eachElement(z.type(), z.shape(), [&](int64_t i) -> oracle::Complex {
    const oracle::Complex at = complexAt(z, i);
    const oracle::Real modulus = oracle::hypot(at.re, at.im), g = realAt(values.cotangents[0], i);
    if (modulus.isZero()) return 0.0;
    return {g * at.re / modulus, -(g * at.im / modulus)};
  })};
}

// A conversion's cotangent is converted back. Between real and complex types only
// the real part carries over.
SsaValues writeConversion(const Pullback& p) {
  const SsaValue& g = p.cotangents[0];
  const ElementType to = p.inputs[0].type;
  if (isComplex(g.type) && !isComplex(to)) return {convert(realPart(g), to)};
  return {convert(g, to)};
}

std::vector<Tensor> conversionOracle(const PullbackValues& values) {
  const Tensor& g = values.cotangents[0];
  const ElementType to = values.inputs[0].type();
  return {oracle::eachElement(to, g.shape(), [&](int64_t i) -> oracle::Complex {
    const oracle::Complex at = complexAt(g, i);
    return {at.re, isComplex(to) ? at.im : 0.0};
  })};
}

SsaValues writeIdentity(const Pullback& p) { return {p.cotangents[0]}; }

// Rounding to a format counts as an identity whose cotangent is rounded alike.
SsaValues writeReducedPrecision(const Pullback& p) {
  return {p.primal(p.builder, p.cotangents)[0]};
}
std::vector<Tensor> reducedPrecision(const PullbackValues& values) {
  return values.primal(values.cotangents).value();
}

// For functions that are constant nearby, or declared to have no derivative.
SsaValues writeZeros(const Pullback& p) {
  SsaValues zeros;
  for (const SsaValue& input : p.inputs) zeros.push_back(input.like(0));
  return zeros;
}

std::vector<Tensor> zerosOf(const PullbackValues& values) {
  std::vector<Tensor> zeros;
  for (const Tensor& input : values.inputs) zeros.emplace_back(input.type(), input.shape());
  return zeros;
}

}  // namespace

VINTAGE_DERIVATIVES(complexPartDerivatives) {
  DerivativeRules rules{
      {.primitive = "real",
       .types = types::kComplexes,
       .write = writeReal,
       .oracle = transposedLinear},
      {.primitive = "imag",
       .types = types::kComplexes,
       .write = writeImaginary,
       .oracle = transposedLinear},
      {.primitive = "conj",
       .types = types::kInexact,
       .domains = {domains::kPlain},
       .write = writeConjugate,
       .oracle = transposedLinear},
      {.primitive = "complex",
       .domains = {domains::kPlain},
       .write = writeComplex,
       .oracle = transposedLinear},
      // Whole numbers from -1 to 1: zero is among them.
      {.primitive = "abs",
       .types = types::kComplexes,
       .domains = {Domain{.low = -1, .high = 1, .wholeNumbers = true}},
       .write = writeModulus,
       .oracle = modulusOracle,
       .units = 8},
      linearRule("device_put", "", {}, writeIdentity),
      linearRule("copy", "", {}, writeIdentity),
  };
  for (const char* format : {"e8m7", "e5m10", "e4m3"}) {
    rules.push_back({.primitive = "reduce_precision",
                     .label = format,
                     .write = writeReducedPrecision,
                     .oracle = reducedPrecision});
  }
  for (ElementType to : types::kInexact) {
    rules.push_back({.primitive = "convert_element_type",
                     .label = fmt::format("to={}", shortName(to)),
                     .types = types::kInexact,
                     .domains = {Domain{.low = -2, .high = 2}},
                     .write = writeConversion,
                     .oracle = conversionOracle});
  }
  return rules;
}

VINTAGE_DERIVATIVES(constantDerivatives) {
  DerivativeRules rules;
  const auto constant = [&](const char* primitive, const char* label,
                            std::span<const ElementType> types) {
    rules.push_back({.primitive = primitive,
                     .label = label,
                     .types = types,
                     .write = writeZeros,
                     .oracle = zerosOf});
  };
  for (const char* primitive : {"stop_gradient", "zeros_like", "eq", "ne"})
    constant(primitive, "", types::kInexact);
  for (const char* primitive : {"lt", "le", "gt", "ge", "is_finite", "floor", "ceil", "sign"})
    constant(primitive, "", types::kFloats);
  for (const char* primitive : {"argmax", "argmin"})
    constant(primitive, "axis=1_index=int32", types::kFloats);
  constant("round", "method=away", types::kFloats);
  constant("round", "method=even", types::kFloats);
  return rules;
}

}  // namespace vintage::primitives
