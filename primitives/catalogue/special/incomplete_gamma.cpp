// igamma, igammac, igamma_grad_a, random_gamma_grad.
#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/special/special_case.h"

namespace vintage::primitives {
using namespace golden;

namespace {

// Where enabled the new values, elsewhere the old ones.
void keepWhereDone(const SsaValue& enabled, Arguments old, std::span<SsaValue> next) {
  for (size_t i = 0; i < next.size(); ++i) next[i] = select(enabled, next[i], old[i]);
}

using oracle::Real;

SsaValue emitLower(const SsaValue& a, const SsaValue& x) {
  const SsaValue notANumber = isNan(a) | isNan(x);
  const SsaValue infinite = equal(x, oracle::kInfinity), origin = equal(x, 0.0);
  const SsaValue outside = (x < 0.0) | (a < 0.0) | (equal(a, 0.0) & origin) | notANumber;
  const SsaValue byFraction = (x >= 1.0) & (x > a);
  const GammaFront front = gammaFront(a, x);
  const SsaValue enabled = !(origin | outside | front.underflows | infinite);
  const SsaValue fraction =
      1.0 - gammaFraction(front.value, x, a, enabled & byFraction, GammaMode::kValue);
  const SsaValue series = gammaSeries(front.value, x, a, enabled & !byFraction, GammaMode::kValue);
  SsaValue result = select(byFraction, fraction, series);
  result = select(origin, result.like(0), result);
  result = select(infinite, result.like(1), result);
  return select(outside, result.like(oracle::kNan), result);
}

SsaValue emitUpper(const SsaValue& a, const SsaValue& x) {
  const SsaValue notANumber = isNan(a) | isNan(x);
  const SsaValue noShape = equal(a, 0.0), origin = equal(x, 0.0);
  const SsaValue infinite = equal(x, oracle::kInfinity),
                 infiniteShape = equal(a, oracle::kInfinity);
  const SsaValue outside =
      (x < 0.0) | (a < 0.0) | (noShape & origin) | notANumber | (infinite & infiniteShape);
  const SsaValue bySeries = (x < 1.0) | (x < a);
  const GammaFront front = gammaFront(a, x);
  const SsaValue enabled = !(outside | front.underflows | infinite | noShape | infiniteShape);
  const SsaValue series = gammaSeries(front.value, x, a, enabled & bySeries, GammaMode::kValue);
  const SsaValue fraction =
      gammaFraction(front.value, x, a, enabled & !bySeries, GammaMode::kValue);
  SsaValue result = select(bySeries, 1.0 - series, fraction);
  result = select(infinite, result.like(0), result);
  result = select(noShape, result.like(0), result);
  result = select(infiniteShape, result.like(1), result);
  return select(outside, result.like(oracle::kNan), result);
}

template <GammaMode kMode>
SsaValue emitGradient(const SsaValue& a, const SsaValue& x) {
  const SsaValue notANumber = isNan(a) | isNan(x);
  const SsaValue origin = equal(x, 0.0);
  const SsaValue outside = (x < 0.0) | (a <= 0.0);
  const SsaValue byFraction = (x > 1.0) & (x > a);
  const GammaFront front = gammaFront(a, x);
  const SsaValue enabled = !(origin | outside | front.underflows | notANumber);
  const SsaValue fraction = -gammaFraction(front.value, x, a, enabled & byFraction, kMode);
  const SsaValue series = gammaSeries(front.value, x, a, enabled & !byFraction, kMode);
  SsaValue result = select(byFraction, fraction, series);
  result = select(origin, result.like(0), result);
  return select(outside | notANumber, result.like(oracle::kNan), result);
}

bool outside(const Real& a, const Real& x) {
  return a.isNan() || x.isNan() || a < Real(0.0) || x < Real(0.0);
}

Real lower(const Real& a, const Real& x) {
  return outside(a, x) ? Real(oracle::kNan) : oracle::igamma(a, x);
}
Real upper(const Real& a, const Real& x) {
  if (outside(a, x)) return Real(oracle::kNan);
  return x.isInfinite() ? Real(0.0) : oracle::igammac(a, x);
}
Real gradient(const Real& a, const Real& x) {
  if (outside(a, x)) return Real(oracle::kNan);
  return x.isZero() ? Real(0.0) : oracle::igammaDerivative(a, x);
}
Real sampleGradient(const Real& a, const Real& x) {
  if (outside(a, x)) return Real(oracle::kNan);
  return x.isZero() ? Real(0.0) : -(oracle::igammaDerivative(a, x) / oracle::gammaDensity(a, x));
}

// Every NaN of either argument, x outside, on the border of and inside its range.
constexpr Domain kShape{
    .low = 0.1, .high = 20, .edges = Domain::Edges::kFew, .edgeLow = 0.5, .edgeHigh = 100};
constexpr Domain kAbscissa{.low = 0, .high = 30, .edges = Domain::Edges::kAll, .edgeLow = -100};
// The derivatives of an infinite sample are not defined.
constexpr Domain kFinite{
    .low = 0.01, .high = 30, .edges = Domain::Edges::kAll, .edgeLow = -100, .edgeHigh = 20};

using Write = SsaValue (*)(const SsaValue&, const SsaValue&);

struct GammaPrimitive {
  const char* name;
  Write write;
  Real (*oracle)(const Real&, const Real&);
  Domain abscissa;
  // exp(a log x - x - lgamma(a)) multiplies the rounding of its argument, which
  // reaches some 60; the derivatives end their series at an absolute change.
  int64_t ulps;
  double absolute;  // In units of the spacing at one.
};
const GammaPrimitive kPrimitives[] = {
    {"igamma", emitLower, lower, kAbscissa, 256, 0},
    {"igammac", emitUpper, upper, kAbscissa, 256, 0},
    {"igamma_grad_a", emitGradient<GammaMode::kDerivative>, gradient, kFinite, 128, 4},
    {"random_gamma_grad", emitGradient<GammaMode::kSampleDerivative>, sampleGradient, kFinite, 128,
     4},
};

}  // namespace

GammaFront gammaFront(const SsaValue& a, const SsaValue& x) {
  const SsaValue power = a * log(x) - x - lgamma(a);
  // The logarithm is an operation of the module, on a constant.
  const SsaValue largest = a.builder->number(a.type, oracle::floatFormat(a.type).largestFinite());
  const SsaValue underflows = power < (-log(largest)).broadcastTo(a.shape);
  return {exp(power), underflows};
}

SsaValue gammaSeries(const SsaValue& front, const SsaValue& x, const SsaValue& a,
                     const SsaValue& enabled, GammaMode mode) {
  const double epsilon = epsilonOf(a.type);
  // enabled, r, c, sum, x, dc/da, dsum/da
  const SsaValue initial[] = {enabled, a, a.like(1), a.like(1), x, a.like(0), a.like(0)};
  const SsaValues done = whileLoop(
      initial, [&](Arguments values) -> SsaValue { return any(values[0]); },
      [&](Arguments old) {
        const SsaValue &going = old[0], &abscissa = old[4];
        const SsaValue r = old[1] + 1.0;
        const SsaValue slope = old[5] * (abscissa / r) - (old[2] * abscissa) / (r * r);
        const SsaValue sumSlope = old[6] + slope;
        const SsaValue term = old[2] * (abscissa / r);
        const SsaValue sum = old[3] + term;
        const SsaValue change = mode == GammaMode::kValue ? term / sum : abs(slope / sumSlope);
        SsaValues next{going & (change > epsilon), r, term, sum, abscissa, slope, sumSlope};
        keepWhereDone(going, old.subspan(1), std::span(next).subspan(1));
        return next;
      });
  const SsaValue sum = done[3], slope = done[6];
  if (mode == GammaMode::kValue) return (sum * front) / a;
  const SsaValue logarithmic = log(x) - digamma(a + 1.0);
  if (mode == GammaMode::kDerivative) return front * (sum * logarithmic + slope) / a;
  return -(slope + sum * logarithmic) * x / a;
}

SsaValue gammaFraction(const SsaValue& front, const SsaValue& x, const SsaValue& a,
                       const SsaValue& enabled, GammaMode mode) {
  const double epsilon = epsilonOf(a.type);
  const SsaValue y = 1.0 - a;
  const SsaValue z = x + y + 1.0;
  const SsaValue p1 = x + 1.0;
  const SsaValue q1 = z * x;
  const SsaValue first = p1 / q1;
  const SsaValue zero = x.like(0);
  const SsaValue q1Slope = -x;
  const SsaValue slope = (zero - first * q1Slope) / q1;
  const SsaValue count = a.builder->number(a.type, 0);
  // enabled, fraction, change, y, z, count, p1, q1, p2, q2, the slopes of p2, q2, p1, q1 and of
  // the fraction by a.
  const SsaValue initial[] = {enabled,   first, x.like(1), y,    z,    count,   p1,   q1,
                              x.like(1), x,     zero,      zero, zero, q1Slope, slope};
  const SsaValues done = whileLoop(
      initial,
      [&](Arguments values) -> SsaValue {
        const SsaValue counted = values[5];
        const SsaValue remains = counted < 2000.0;
        return remains & any(values[0]);
      },
      [&](Arguments old) {
        const SsaValue& going = old[0];
        const SsaValue counted = old[5] + 1.0;
        const SsaValue c = counted.broadcastTo(a.shape);
        const SsaValue y = old[3] + 1.0;
        const SsaValue z = old[4] + 2.0;
        const SsaValue yc = y * c;
        const SsaValue p = old[6] * z - old[8] * yc;
        const SsaValue q = old[7] * z - old[9] * yc;
        const SsaValue usable = compare("NE", q, q.like(0));
        const SsaValue ratio = p / q;
        const SsaValue change = select(usable, abs((old[1] - ratio) / ratio), ratio.like(1));
        const SsaValue fraction = select(usable, ratio, old[1]);
        const SsaValue pSlope = old[12] * z - old[6] - old[10] * yc + old[8] * c;
        const SsaValue qSlope = old[13] * z - old[7] - old[11] * yc + old[9] * c;
        const SsaValue slope = select(usable, (pSlope - fraction * qSlope) / q, old[14]);
        const SsaValue slopeChange = select(usable, abs(slope - old[14]), slope.like(1));
        // The recurrence grows without bound; both sides of it shrink together.
        const SsaValue large = abs(p) > 1.0 / epsilon;
        auto shrunk = [&](const SsaValue& v) { return select(large, v * epsilon, v); };
        const SsaValue goesOn =
            going & ((mode == GammaMode::kValue ? change : slopeChange) > epsilon);
        SsaValues next{goesOn,
                       fraction,
                       change,
                       y,
                       z,
                       counted,
                       shrunk(p),
                       shrunk(q),
                       shrunk(old[6]),
                       shrunk(old[7]),
                       shrunk(old[12]),
                       shrunk(old[13]),
                       shrunk(pSlope),
                       shrunk(qSlope),
                       slope};
        keepWhereDone(going, old.subspan(1, 4), std::span(next).subspan(1, 4));
        keepWhereDone(going, old.subspan(6), std::span(next).subspan(6));
        return next;
      });
  const SsaValue fraction = done[1], fractionSlope = done[14];
  if (mode == GammaMode::kValue) return fraction * front;
  const SsaValue logarithmic = log(x) - digamma(a);
  if (mode == GammaMode::kDerivative) return front * (fraction * logarithmic + fractionSlope);
  return -((fractionSlope + fraction * logarithmic) * x);
}

VINTAGE_FAMILY(addIncompleteGammaCases) {
  for (const GammaPrimitive& primitive : kPrimitives) {
    addSpecialFunction(
        cases,
        {.name = primitive.name,
         .shape = {9, 10},
         .domains = {kShape, primitive.abscissa},
         .write = [&primitive](Arguments x) { return primitive.write(x[0], x[1]); },
         .oracle = [&primitive](std::span<const Real> x) { return primitive.oracle(x[0], x[1]); },
         .ulps = primitive.ulps,
         .absolute = primitive.absolute});
  }
}

}  // namespace vintage::primitives
