// igamma, igammac, igamma_grad_a, random_gamma_grad.
#include <limits>

#include "golden/oracle/number.h"
#include "golden/oracle/special_functions.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/special/incomplete_gamma_lowering.h"
#include "primitives/catalogue/special/special_case.h"

namespace vintage::primitives::catalogue {
namespace {

using oracle::Real;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInfinity = std::numeric_limits<double>::infinity();

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
    {"igamma", emitLower, lower, kAbscissa, 128, 0},
    {"igammac", emitUpper, upper, kAbscissa, 128, 0},
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

}  // namespace vintage::primitives::catalogue
