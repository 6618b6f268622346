// Derivatives of what takes complex numbers apart and puts them together, of
// conversions and of identities.
#include <fmt/format.h>

#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/expression.h"
#include "primitives/lowering/operations.h"

namespace vintage::primitives {
using namespace golden;

namespace {

SsaValue negated(FunctionBuilder& builder, const SsaValue& value) {
  return builder.same("stablehlo.negate", value);
}

SsaValues writeReal(const Pullback& p) {
  return {p.builder.complex(p.cotangents[0], p.builder.zerosLike(p.cotangents[0]))};
}

SsaValues writeImaginary(const Pullback& p) {
  const SsaValue zeros = p.builder.zerosLike(p.cotangents[0]);
  return {p.builder.complex(zeros, negated(p.builder, p.cotangents[0]))};
}

SsaValues writeConjugate(const Pullback& p) {
  const SsaValue real = p.builder.real(p.cotangents[0]);
  if (!isComplex(p.inputs[0].type)) return {real};
  const SsaValue imaginary = p.builder.imaginary(p.cotangents[0]);
  return {p.builder.complex(real, negated(p.builder, imaginary))};
}

SsaValues writeComplex(const Pullback& p) {
  const SsaValue real = p.builder.real(p.cotangents[0]);
  return {real, p.builder.imaginary(negated(p.builder, p.cotangents[0]))};
}

// The modulus of a complex number: g times conj(z) / |z|, and 0 at zero.
SsaValues writeModulus(const Pullback& p) {
  FunctionBuilder& builder = p.builder;
  const SsaValue& z = p.inputs[0];
  const Expression modulus(builder, p.answers()[0]);
  const Expression whole(builder, builder.complex(modulus, builder.zerosLike(modulus)));
  const Expression divisor = select(equal(whole, 0.0), whole.like(1), whole);
  const SsaValue real = builder.real(z);
  const Expression conjugate(builder,
                             builder.complex(real, negated(builder, builder.imaginary(z))));
  const SsaValue& cotangent = p.cotangents[0];
  const Expression g(builder, builder.complex(cotangent, builder.zerosLike(cotangent)));
  return {g * (conjugate / divisor)};
}

std::vector<Tensor> modulusOracle(const PullbackValues& values) {
  const Tensor& z = values.inputs[0];
  return {eachPosition(z.type(), z.shape(), [&](int64_t i) -> oracle::Complex {
    const oracle::Complex at = complexAt(z, i);
    const oracle::Real modulus = oracle::hypot(at.re, at.im), g = realAt(values.cotangents[0], i);
    if (modulus.isZero()) return {oracle::Real(0.0), oracle::Real(0.0)};
    return {g * at.re / modulus, -(g * at.im / modulus)};
  })};
}

// A conversion's cotangent is converted back. Between real and complex types only
// the real part carries over.
SsaValues writeConversion(const Pullback& p) {
  const SsaValue& g = p.cotangents[0];
  const ElementType to = p.inputs[0].type;
  if (isComplex(g.type) && !isComplex(to)) return {p.builder.convert(p.builder.real(g), to)};
  return {p.builder.convert(g, to)};
}

std::vector<Tensor> conversionOracle(const PullbackValues& values) {
  const Tensor& g = values.cotangents[0];
  const ElementType to = values.inputs[0].type();
  return {eachPosition(to, g.shape(), [&](int64_t i) -> oracle::Complex {
    const oracle::Complex at = complexAt(g, i);
    return {at.re, isComplex(to) ? at.im : oracle::Real(0.0)};
  })};
}

SsaValues writeIdentity(const Pullback& p) { return {p.cotangents[0]}; }

// Rounding to a format counts as an identity whose cotangent is rounded alike.
SsaValues writeReducedPrecision(const Pullback& p) {
  return {p.primal(p.builder, p.cotangents, p.platform)[0]};
}
std::vector<Tensor> reducedPrecision(const PullbackValues& values) {
  return values.primal(values.cotangents).value();
}

}  // namespace

VINTAGE_DERIVATIVES(complexPartDerivatives) {
  const auto floatsAndComplexes = types::inexact;
  DerivativeRules rules{
      {.primitive = "real", .types = types::complexes, .write = writeReal,
       .oracle = transposedLinear},
      {.primitive = "imag", .types = types::complexes, .write = writeImaginary,
       .oracle = transposedLinear},
      {.primitive = "conj", .types = floatsAndComplexes, .domains = {domains::kPlain},
       .write = writeConjugate, .oracle = transposedLinear},
      {.primitive = "complex", .domains = {domains::kPlain}, .write = writeComplex,
       .oracle = transposedLinear},
      // Whole numbers from -1 to 1: zero is among them.
      {.primitive = "abs", .types = types::complexes,
       .domains = {Domain{.low = -1, .high = 1, .wholeNumbers = true}}, .write = writeModulus,
       .oracle = modulusOracle, .units = 8},
      {.primitive = "device_put", .types = floatsAndComplexes, .write = writeIdentity,
       .oracle = transposedLinear},
      {.primitive = "copy", .types = floatsAndComplexes, .write = writeIdentity,
       .oracle = transposedLinear},
  };
  for (const char* format : {"e8m7", "e5m10", "e4m3"}) {
    rules.push_back({.primitive = "reduce_precision", .label = format,
                     .write = writeReducedPrecision, .oracle = reducedPrecision});
  }
  for (ElementType to : types::inexact()) {
    rules.push_back({.primitive = "convert_element_type",
                     .label = "to=" + describe(to, {}).substr(0, describe(to, {}).find('[')),
                     .types = floatsAndComplexes,
                     .domains = {Domain{.low = -2, .high = 2}},
                     .write = writeConversion,
                     .oracle = conversionOracle});
  }
  return rules;
}

}  // namespace vintage::primitives
