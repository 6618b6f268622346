// Derivatives of what takes complex numbers apart and puts them together, of
// conversions and of identities.
#include <fmt/format.h>

#include "primitives/catalogue/derivatives/movement.h"
#include "primitives/catalogue/derivatives/transposed.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {
namespace {

SsaValue complexOf(FunctionWriter& writer, const SsaValue& real, const SsaValue& imaginary) {
  const ElementType type = real.type == ElementType::kF64 ? ElementType::kC128 : ElementType::kC64;
  return writer.emit(type, real.shape,
                     fmt::format("stablehlo.complex {}, {} : {}", real.name, imaginary.name,
                                 tensorText(type, real.shape)));
}

SsaValue negated(FunctionWriter& writer, const SsaValue& value) {
  return writer.same("stablehlo.negate", value);
}

SsaValues writeReal(const PullbackWriter& p) {
  return {complexOf(p.writer, p.cotangents[0], zerosLike(p.writer, p.cotangents[0]))};
}

SsaValues writeImaginary(const PullbackWriter& p) {
  const SsaValue zeros = zerosLike(p.writer, p.cotangents[0]);
  return {complexOf(p.writer, zeros, negated(p.writer, p.cotangents[0]))};
}

SsaValues writeConjugate(const PullbackWriter& p) {
  const SsaValue real = p.writer.real(p.cotangents[0]);
  if (!isComplex(p.inputs[0].type)) return {real};
  const SsaValue imaginary = p.writer.imaginary(p.cotangents[0]);
  return {complexOf(p.writer, real, negated(p.writer, imaginary))};
}

SsaValues writeComplex(const PullbackWriter& p) {
  const SsaValue real = p.writer.real(p.cotangents[0]);
  return {real, p.writer.imaginary(negated(p.writer, p.cotangents[0]))};
}

// Of complex numbers, the modulus: g times conj(z) / |z|, and 0 at zero.
SsaValues writeModulus(const PullbackWriter& p) {
  FunctionWriter& writer = p.writer;
  const SsaValue& z = p.inputs[0];
  const Expression modulus(writer, p.answers()[0]);
  const Expression whole(writer, complexOf(writer, modulus, zerosLike(writer, modulus)));
  const Expression divisor = select(equal(whole, 0.0), whole.like(1), whole);
  const SsaValue real = writer.real(z);
  const Expression conjugate(writer,
                             complexOf(writer, real, negated(writer, writer.imaginary(z))));
  const SsaValue& cotangent = p.cotangents[0];
  const Expression g(writer, complexOf(writer, cotangent, zerosLike(writer, cotangent)));
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

// A conversion's cotangent is converted back. Of a real number that became complex
// the real part is what depends on it, and the other way round.
SsaValues writeConversion(const PullbackWriter& p) {
  const SsaValue& g = p.cotangents[0];
  const ElementType to = p.inputs[0].type;
  if (isComplex(g.type) && !isComplex(to)) return {p.writer.convert(p.writer.real(g), to)};
  return {p.writer.convert(g, to)};
}

std::vector<Tensor> conversionOracle(const PullbackValues& values) {
  const Tensor& g = values.cotangents[0];
  const ElementType to = values.inputs[0].type();
  return {eachPosition(to, g.shape(), [&](int64_t i) -> oracle::Complex {
    const oracle::Complex at = complexAt(g, i);
    return {at.re, isComplex(to) ? at.im : oracle::Real(0.0)};
  })};
}

SsaValues writeIdentity(const PullbackWriter& p) { return {p.cotangents[0]}; }

// Rounding to a format counts as an identity whose cotangent is rounded alike.
SsaValues writeReducedPrecision(const PullbackWriter& p) {
  return {p.primal(p.writer, p.cotangents, p.platform)[0]};
}
std::vector<Tensor> reducedPrecision(const PullbackValues& values) {
  return values.primal(values.cotangents).value();
}

}  // namespace

DerivativeRules complexPartDerivatives() {
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

}  // namespace vintage::primitives::catalogue
