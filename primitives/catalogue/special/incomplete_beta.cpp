// regularized_incomplete_beta, as JAX writes it: the continued fraction of
// DLMF 8.17.22 by the modified method of Lentz, Thompson and Barnett.
#include <cmath>
#include <limits>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/families.h"
#include "primitives/catalogue/special/special_case.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Real;

// The numerator of step `iteration`, a scalar counter that is at least one.
Expression numerator(const Expression& iteration, const Expression& a, const Expression& b,
                     const Expression& x) {
  const Expression count = iteration.broadcastTo(a.shape());
  const Expression even =
      equal(count.apply("stablehlo.remainder", count.like(2)), 0.0);
  const Expression first = equal(count, 1.0);
  const Expression half = (count - 1.0) / 2.0;  // Integers round down.
  const Expression halfIsZero = equal(half, 0.0);
  const Expression m = half.to(a.type());
  const Expression twice = a + 2.0 * m;
  // A branch of its own where m is zero, so that a flushed product does no harm.
  const Expression start = -(a + b) * x / (a + 1.0);
  const Expression later = -(a + m) * (a + b + m) * x / (twice * (twice + 1.0));
  const Expression atEven = select(halfIsZero, start, later);
  const Expression atOdd = m * (b - m) * x / ((twice - 1.0) * twice);
  return select(first, x.like(1), select(even, atEven, atOdd));
}

Expression continuedFraction(const Expression& a, const Expression& b, const Expression& x) {
  FunctionBuilder& builder = a.builder();
  const double small = std::ldexp(1.0, -oracle::floatFormat(a.type()).precision);
  const int64_t limit = a.type() == ElementType::kF32 ? 200 : 600;
  const Expression one(builder, builder.constant(kInt, 1));
  const Expression unconverged(builder, builder.constant(ElementType::kI1, 1));
  // The denominator of step zero is zero, and small takes its place.
  const Expression h = x.like(small);
  const SsaValue initial[] = {one, unconverged, h, x.like(0), h};
  const SsaValues done = builder.whileLoop(
      initial,
      [&](Arguments values) -> SsaValue {
        return (Expression(builder, values[0]) < static_cast<double>(limit)) &
               Expression(builder, values[1]);
      },
      [&](Arguments values) -> SsaValues {
        const Expression iteration(builder, values[0]);
        const Expression above = numerator(iteration, a, b, x), below = x.like(1);
        auto kept = [&](const Expression& v) { return select(abs(v) < small, v.like(small), v); };
        const Expression c = kept(below + above / Expression(builder, values[2]));
        const Expression d = 1.0 / kept(below + above * Expression(builder, values[3]));
        const Expression delta = c * d;
        const Expression h = Expression(builder, values[4]) * delta;
        return {iteration + 1.0, any(abs(delta - 1.0) >= small), c, d, h};
      });
  return {builder, done[4]};
}

Expression emitBeta(std::span<const Expression> operands) {
  const Expression &a = operands[0], &b = operands[1], &x = operands[2];
  const Expression aGone = equal(a, 0.0) | equal(b, kInfinity);
  const Expression bGone = equal(b, 0.0) | equal(a, kInfinity);
  const Expression atZero = equal(x, 0.0), atOne = equal(x, 1.0);
  const Expression isZero = (bGone & !atOne) | (aGone & atZero);
  const Expression isOne = (aGone & !atZero) | (bGone & atOne);
  const Expression outside = (a < 0.0) | (b < 0.0) | (x < 0.0) | (x > 1.0) | (aGone & bGone) |
                             (isNan(a) | isNan(b) | isNan(x));
  // It converges rapidly on one side; DLMF 8.17.4 mirrors the other one.
  const Expression direct = x < (a + 1.0) / (a + b + 2.0);
  const Expression p = select(direct, a, b), q = select(direct, b, a);
  const Expression t = select(direct, x, 1.0 - x);
  const Expression fraction = continuedFraction(p, q, t);
  const double tiny = std::ldexp(2.0, oracle::floatFormat(a.type()).smallest);
  const Expression logBetaSmall = lgamma(q) - lgamma(p + q);
  const Expression logBeta = lgamma(p) + logBetaSmall;
  const Expression factor = select(p < tiny, exp(log1p(-t) * q - logBetaSmall),
                                   exp(log(t) * p + log1p(-t) * q - logBeta) / p);
  const Expression product = fraction * factor;
  Expression result = select(direct, product, 1.0 - product);
  result = select(isZero, result.like(0), result);
  result = select(isOne, result.like(1), result);
  return select(outside, result.like(kNan), result);
}

Real expectBeta(std::span<const Real> operands) {
  const Real &a = operands[0], &b = operands[1], &x = operands[2];
  const Real zero(0.0);
  if (a.isNan() || b.isNan() || x.isNan() || a < zero || b < zero || x < zero || Real(1.0) < x) {
    return Real(kNan);
  }
  return oracle::incompleteBeta(a, b, x);
}

}  // namespace

VINTAGE_FAMILY(addIncompleteBetaCases) {
  constexpr Domain kShape{.low = 0.1, .high = 10, .edges = Domain::Edges::kFew, .edgeLow = 0.5,
                          .edgeHigh = 100};
  constexpr Domain kAbscissa{.low = 0, .high = 1, .edges = Domain::Edges::kAll, .edgeLow = -3,
                             .edgeHigh = 3};
  for (ElementType type : types::floats()) {
    for (const Shape& shape : {Shape{9, 10}, Shape{}}) {
      addSpecialCase(cases, {.name = "regularized_incomplete_beta",
                             .type = type,
                             .shape = shape,
                             .domains = {kShape, kShape, kAbscissa},
                             .write = emitBeta,
                             .oracle = expectBeta,
                             // The rounding of an exponent of some tens, as in igamma, and the
                             // fraction starts from half an epsilon in place of zero.
                             .ulps = 1024});
    }
  }
}

}  // namespace vintage::primitives
