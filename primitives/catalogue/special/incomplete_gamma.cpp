// igamma, igammac, igamma_grad_a, random_gamma_grad.
#include <cmath>
#include <limits>
#include <vector>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/special/special_case.h"

namespace vintage::primitives {
using namespace golden;

namespace {

double largestOf(ElementType type) {
  const oracle::FloatFormat format = oracle::floatFormat(type);
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - format.precision), format.largest);
}

std::vector<Expression> expressions(FunctionBuilder& builder, Arguments values) {
  std::vector<Expression> result;
  for (const SsaValue& value : values) result.emplace_back(builder, value);
  return result;
}

SsaValues valuesOf(std::span<const Expression> expressions) {
  return {expressions.begin(), expressions.end()};
}

// Where enabled the new values, elsewhere the old ones.
void keepWhereDone(const Expression& enabled, std::span<const Expression> old,
                   std::span<Expression> next) {
  for (size_t i = 0; i < next.size(); ++i) next[i] = select(enabled, next[i], old[i]);
}

}  // namespace

GammaFront gammaFront(const Expression& a, const Expression& x) {
  const Expression power = a * log(x) - x - lgamma(a);
  // The logarithm is an operation of the module, on a constant.
  const Expression largest(a.builder(), a.builder().number(a.type(), largestOf(a.type())));
  const Expression underflows = power < (-log(largest)).broadcastTo(a.shape());
  return {exp(power), underflows};
}

Expression gammaSeries(const Expression& front, const Expression& x, const Expression& a,
                       const Expression& enabled, GammaMode mode) {
  FunctionBuilder& builder = a.builder();
  const double epsilon = epsilonOf(a.type());
  // enabled, r, c, sum, x, dc/da, dsum/da
  const Expression initial[] = {enabled, a, a.like(1), a.like(1), x, a.like(0), a.like(0)};
  const SsaValues done = builder.whileLoop(
      valuesOf(initial), [&](Arguments values) -> SsaValue { return any({builder, values[0]}); },
      [&](Arguments values) {
        const std::vector<Expression> old = expressions(builder, values);
        const Expression &going = old[0], &abscissa = old[4];
        const Expression r = old[1] + 1.0;
        const Expression slope = old[5] * (abscissa / r) - (old[2] * abscissa) / (r * r);
        const Expression sumSlope = old[6] + slope;
        const Expression term = old[2] * (abscissa / r);
        const Expression sum = old[3] + term;
        const Expression change = mode == GammaMode::kValue ? term / sum : abs(slope / sumSlope);
        std::vector<Expression> next{
            going & (change > epsilon), r, term, sum, abscissa, slope, sumSlope};
        keepWhereDone(going, std::span(old).subspan(1), std::span(next).subspan(1));
        return valuesOf(next);
      });
  const Expression sum(builder, done[3]), slope(builder, done[6]);
  if (mode == GammaMode::kValue) return (sum * front) / a;
  const Expression logarithmic = log(x) - digamma(a + 1.0);
  if (mode == GammaMode::kDerivative) return front * (sum * logarithmic + slope) / a;
  return -(slope + sum * logarithmic) * x / a;
}

Expression gammaFraction(const Expression& front, const Expression& x, const Expression& a,
                         const Expression& enabled, GammaMode mode) {
  FunctionBuilder& builder = a.builder();
  const double epsilon = epsilonOf(a.type());
  const Expression y = 1.0 - a;
  const Expression z = x + y + 1.0;
  const Expression p1 = x + 1.0;
  const Expression q1 = z * x;
  const Expression first = p1 / q1;
  const Expression zero = x.like(0);
  const Expression q1Slope = -x;
  const Expression slope = (zero - first * q1Slope) / q1;
  const Expression count(builder, builder.number(a.type(), 0));
  // enabled, fraction, change, y, z, count, p1, q1, p2, q2, the slopes of p2, q2, p1, q1 and of
  // the fraction by a.
  const Expression initial[] = {enabled,   first, x.like(1), y,    z,    count,   p1,   q1,
                                x.like(1), x,     zero,      zero, zero, q1Slope, slope};
  const SsaValues done = builder.whileLoop(
      valuesOf(initial),
      [&](Arguments values) -> SsaValue {
        const Expression counted(builder, values[5]);
        const Expression remains = counted < 2000.0;
        return remains & any({builder, values[0]});
      },
      [&](Arguments values) {
        const std::vector<Expression> old = expressions(builder, values);
        const Expression& going = old[0];
        const Expression counted = old[5] + 1.0;
        const Expression c = counted.broadcastTo(a.shape());
        const Expression y = old[3] + 1.0;
        const Expression z = old[4] + 2.0;
        const Expression yc = y * c;
        const Expression p = old[6] * z - old[8] * yc;
        const Expression q = old[7] * z - old[9] * yc;
        const Expression usable = q.compare("NE", q.like(0));
        const Expression ratio = p / q;
        const Expression change = select(usable, abs((old[1] - ratio) / ratio), ratio.like(1));
        const Expression fraction = select(usable, ratio, old[1]);
        const Expression pSlope = old[12] * z - old[6] - old[10] * yc + old[8] * c;
        const Expression qSlope = old[13] * z - old[7] - old[11] * yc + old[9] * c;
        const Expression slope = select(usable, (pSlope - fraction * qSlope) / q, old[14]);
        const Expression slopeChange = select(usable, abs(slope - old[14]), slope.like(1));
        // The recurrence grows without bound; both sides of it shrink together.
        const Expression large = abs(p) > 1.0 / epsilon;
        auto shrunk = [&](const Expression& v) { return select(large, v * epsilon, v); };
        const Expression goesOn =
            going & ((mode == GammaMode::kValue ? change : slopeChange) > epsilon);
        std::vector<Expression> next{goesOn,
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
        keepWhereDone(going, std::span(old).subspan(1, 4), std::span(next).subspan(1, 4));
        keepWhereDone(going, std::span(old).subspan(6), std::span(next).subspan(6));
        return valuesOf(next);
      });
  const Expression fraction(builder, done[1]), fractionSlope(builder, done[14]);
  if (mode == GammaMode::kValue) return fraction * front;
  const Expression logarithmic = log(x) - digamma(a);
  if (mode == GammaMode::kDerivative) return front * (fraction * logarithmic + fractionSlope);
  return -((fractionSlope + fraction * logarithmic) * x);
}

namespace {

using oracle::Real;

Expression emitLower(const Expression& a, const Expression& x) {
  const Expression notANumber = isNan(a) | isNan(x);
  const Expression infinite = equal(x, kInfinity), origin = equal(x, 0.0);
  const Expression outside =
      (x < 0.0) | (a < 0.0) | (equal(a, 0.0) & origin) | notANumber;
  const Expression byFraction = (x >= 1.0) & (x > a);
  const GammaFront front = gammaFront(a, x);
  const Expression enabled = !(origin | outside | front.underflows | infinite);
  const Expression fraction =
      1.0 - gammaFraction(front.value, x, a, enabled & byFraction, GammaMode::kValue);
  const Expression series =
      gammaSeries(front.value, x, a, enabled & !byFraction, GammaMode::kValue);
  Expression result = select(byFraction, fraction, series);
  result = select(origin, result.like(0), result);
  result = select(infinite, result.like(1), result);
  return select(outside, result.like(kNan), result);
}

Expression emitUpper(const Expression& a, const Expression& x) {
  const Expression notANumber = isNan(a) | isNan(x);
  const Expression noShape = equal(a, 0.0), origin = equal(x, 0.0);
  const Expression infinite = equal(x, kInfinity), infiniteShape = equal(a, kInfinity);
  const Expression outside = (x < 0.0) | (a < 0.0) | (noShape & origin) | notANumber |
                             (infinite & infiniteShape);
  const Expression bySeries = (x < 1.0) | (x < a);
  const GammaFront front = gammaFront(a, x);
  const Expression enabled =
      !(outside | front.underflows | infinite | noShape | infiniteShape);
  const Expression series =
      gammaSeries(front.value, x, a, enabled & bySeries, GammaMode::kValue);
  const Expression fraction =
      gammaFraction(front.value, x, a, enabled & !bySeries, GammaMode::kValue);
  Expression result = select(bySeries, 1.0 - series, fraction);
  result = select(infinite, result.like(0), result);
  result = select(noShape, result.like(0), result);
  result = select(infiniteShape, result.like(1), result);
  return select(outside, result.like(kNan), result);
}

template <GammaMode kMode>
Expression emitGradient(const Expression& a, const Expression& x) {
  const Expression notANumber = isNan(a) | isNan(x);
  const Expression origin = equal(x, 0.0);
  const Expression outside = (x < 0.0) | (a <= 0.0);
  const Expression byFraction = (x > 1.0) & (x > a);
  const GammaFront front = gammaFront(a, x);
  const Expression enabled = !(origin | outside | front.underflows | notANumber);
  const Expression fraction =
      -gammaFraction(front.value, x, a, enabled & byFraction, kMode);
  const Expression series = gammaSeries(front.value, x, a, enabled & !byFraction, kMode);
  Expression result = select(byFraction, fraction, series);
  result = select(origin, result.like(0), result);
  return select(outside | notANumber, result.like(kNan), result);
}

bool outside(const Real& a, const Real& x) {
  return a.isNan() || x.isNan() || a < Real(0.0) || x < Real(0.0);
}

Real lower(const Real& a, const Real& x) {
  return outside(a, x) ? Real(kNan) : oracle::igamma(a, x);
}
Real upper(const Real& a, const Real& x) {
  if (outside(a, x)) return Real(kNan);
  return x.isInfinite() ? Real(0.0) : oracle::igammac(a, x);
}
Real gradient(const Real& a, const Real& x) {
  if (outside(a, x)) return Real(kNan);
  return x.isZero() ? Real(0.0) : oracle::igammaDerivative(a, x);
}
Real sampleGradient(const Real& a, const Real& x) {
  if (outside(a, x)) return Real(kNan);
  return x.isZero() ? Real(0.0) : -(oracle::igammaDerivative(a, x) / oracle::gammaDensity(a, x));
}

// Every NaN of either argument, x outside, on the border of and inside its range.
constexpr Domain kShape{.low = 0.1, .high = 20, .edges = Domain::Edges::kFew, .edgeLow = 0.5,
                        .edgeHigh = 100};
constexpr Domain kAbscissa{.low = 0, .high = 30, .edges = Domain::Edges::kAll, .edgeLow = -100};
// The derivatives of an infinite sample are not defined.
constexpr Domain kFinite{.low = 0.01, .high = 30, .edges = Domain::Edges::kAll, .edgeLow = -100,
                         .edgeHigh = 20};

using Write = Expression (*)(const Expression&, const Expression&);

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

VINTAGE_FAMILY(addIncompleteGammaCases) {
  for (const GammaPrimitive& primitive : kPrimitives) {
    for (ElementType type : types::floats()) {
      for (const Shape& shape : {Shape{9, 10}, Shape{}}) {
        addSpecialCase(cases, {.name = primitive.name,
                               .type = type,
                               .shape = shape,
                               .domains = {kShape, primitive.abscissa},
                               .write = [write = primitive.write](std::span<const Expression> x) {
                                 return write(x[0], x[1]);
                               },
                               .oracle = [oracle = primitive.oracle](std::span<const Real> x) {
                                 return oracle(x[0], x[1]);
                               },
                               .ulps = primitive.ulps,
                               .absolute = primitive.absolute});
      }
    }
  }
}

}  // namespace vintage::primitives
