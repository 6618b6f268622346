// Derivatives of special functions, which are special functions themselves.
#include <cmath>
#include <numbers>

#include "golden/oracle/real.h"
#include "primitives/catalogue/derivatives/rule.h"
#include "primitives/catalogue/special/special_case.h"
#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Real;

constexpr Domain kWithinOne{.low = -0.75, .high = 0.75};
constexpr Domain kModerate{.low = 0.5, .high = 4};

DerivativeRule unaryRule(const char* primitive, Domain domain, double units, WritePullback write,
                         Real (*factor)(const Real& x)) {
  return {
      .primitive = primitive,
      .domains = {domain},
      .write = std::move(write),
      .oracle = [factor](const PullbackValues& values) { return scaledBy(values, realAt, factor); },
      .units = units};
}

SsaValues writeErrorInverse(const Pullback& p) {
  const SsaValue g = p.cotangents[0], y = p.answers()[0];
  return {std::sqrt(std::numbers::pi) / 2 * (g * exp(y * y))};
}
Real errorInverseFactor(const Real& x) {
  const Real y = oracle::erfInverse(x);
  return sqrt(oracle::pi()) * Real(0.5) * exp(y * y);
}

// polygamma(1, x), as CHLO decomposes it.
SsaValues writeDigamma(const Pullback& p) {
  const SsaValue g = p.cotangents[0], x = p.inputs[0];
  const SsaValue two = x.like(1) + 1.0;
  const SsaValue zeta = chlo::elementwise("zeta", {two, x});
  return {g * (exp(lgamma(two)) * zeta)};
}

SsaValues writeBessel(const Pullback& p) {
  const SsaValue g = p.cotangents[0], x = p.inputs[0];
  const SsaValue y = p.answers()[0];
  const SsaValue next = chlo::elementwise("bessel_i1e", {x});
  return {g * (next - same("stablehlo.sign", x) * y)};
}
Real besselFactor(const Real& x) {
  const Real sign(x.isZero() ? 0.0 : x.isNegative() ? -1.0 : 1.0);
  return oracle::besselI1e(x) - sign * oracle::besselI0e(x);
}

ElementType computedIn(ElementType type) { return bitWidth(type) < 32 ? ElementType::kF32 : type; }

// I0e(x) - y (sign(x) + 1/x); a half at zero, where the division is impossible.
SsaValues writeNextBessel(const Pullback& p) {
  const SsaValue g = p.cotangents[0], x = p.inputs[0];
  const SsaValue y = p.answers()[0];
  const double epsilon = epsilonOf(x.type);
  const SsaValue apart = abs(x) > epsilon;
  const SsaValue safe = select(apart, x, x.like(epsilon));
  const SsaValue zeroth = convert(besselI0e(convert(safe, computedIn(x.type))), x.type);
  const SsaValue slope = zeroth - y * (same("stablehlo.sign", safe) + 1.0 / safe);
  return {g * select(apart, slope, x.like(0.5))};
}
Real nextBesselFactor(const Real& x) {
  if (x.isZero()) return Real(0.5);
  const Real sign(x.isNegative() ? -1.0 : 1.0);
  return oracle::besselI0e(x) - oracle::besselI1e(x) * (sign + Real(1.0) / x);
}

// The derivative with respect to the shape, by a series or a continued fraction; in f32 for narrow
// floats.
SsaValue shapeDerivative(const SsaValue& shape, const SsaValue& sample) {
  const ElementType type = shape.type;
  const ElementType computed = computedIn(type);
  const SsaValue a = convert(shape, computed), x = convert(sample, computed);
  const SsaValue byFraction = (x > 1.0) & (x > a);
  const GammaFront front = gammaFront(a, x);
  const SsaValue enabled = !(equal(x, 0.0) | front.underflows);
  const SsaValue fraction =
      -gammaFraction(front.value, x, a, enabled & byFraction, GammaMode::kDerivative);
  const SsaValue series =
      gammaSeries(front.value, x, a, enabled & !byFraction, GammaMode::kDerivative);
  return convert(select(byFraction, fraction, series), type);
}

DerivativeRule gammaRule(const char* primitive, bool upper) {
  return {.primitive = primitive,
          .domains = {kModerate},
          .write = [upper](const Pullback& p) -> SsaValues {
            const SsaValue a = p.inputs[0], x = p.inputs[1];
            const SsaValue given = p.cotangents[0];
            const SsaValue g = upper ? -given : given;
            const SsaValue left = g * shapeDerivative(a, x);
            return {left, g * exp(-x + (a - 1.0) * log(x) - lgamma(a))};
          },
          .oracle =
              [upper](const PullbackValues& values) {
                const Tensor& g = values.cotangents[0];
                const auto by = [&](Real (*derivative)(const Real&, const Real&)) {
                  return oracle::eachElement(g.type(), g.shape(), [&](int64_t i) {
                    const Real factor =
                        derivative(realAt(values.inputs[0], i), realAt(values.inputs[1], i));
                    return (upper ? -factor : factor) * realAt(g, i);
                  });
                };
                return std::vector<Tensor>{by(oracle::igammaDerivative), by(oracle::gammaDensity)};
              },
          // The rounding of an exponent of a few units, and the truncation of the series.
          .units = 64,
          .scale = 1};
}

}  // namespace

VINTAGE_DERIVATIVES(specialDerivatives) {
  return {unaryRule("erf_inv", kWithinOne, 32, writeErrorInverse, errorInverseFactor),
          unaryRule("digamma", kModerate, 32, writeDigamma,
                    [](const Real& x) { return oracle::polygamma(1, x); }),
          unaryRule("bessel_i0e", {.low = -8, .high = 8}, 16, writeBessel, besselFactor),
          // Near zero the numerator of the quotient by x cancels: inputs are whole numbers, zero
          // included.
          unaryRule("bessel_i1e", {.low = -8, .high = 8, .wholeNumbers = true}, 16, writeNextBessel,
                    nextBesselFactor),
          gammaRule("igamma", false), gammaRule("igammac", true)};
}

}  // namespace vintage::primitives
