// regularized_incomplete_beta, as JAX writes it: the continued fraction of
// DLMF 8.17.22 by the modified method of Lentz, Thompson and Barnett.
#include <cmath>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/special/special_case.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Real;

// The numerator of step `iteration`, a scalar counter that is at least one.
SsaValue numerator(const SsaValue& iteration, const SsaValue& a, const SsaValue& b,
                   const SsaValue& x) {
  const SsaValue count = iteration.broadcastTo(a.shape);
  const SsaValue even = equal(same("stablehlo.remainder", count, count.like(2)), 0.0);
  const SsaValue first = equal(count, 1.0);
  const SsaValue half = (count - 1.0) / 2.0;  // Integers round down.
  const SsaValue halfIsZero = equal(half, 0.0);
  const SsaValue m = convert(half, a.type);
  const SsaValue twice = a + 2.0 * m;
  // A branch of its own where m is zero, so that a flushed product does no harm.
  const SsaValue start = -(a + b) * x / (a + 1.0);
  const SsaValue later = -(a + m) * (a + b + m) * x / (twice * (twice + 1.0));
  const SsaValue atEven = select(halfIsZero, start, later);
  const SsaValue atOdd = m * (b - m) * x / ((twice - 1.0) * twice);
  return select(first, x.like(1), select(even, atEven, atOdd));
}

SsaValue continuedFraction(const SsaValue& a, const SsaValue& b, const SsaValue& x) {
  FunctionBuilder& builder = *a.builder;
  const double small = std::ldexp(1.0, -oracle::floatFormat(a.type).precision);
  const int64_t limit = a.type == ElementType::kF32 ? 200 : 600;
  const SsaValue one = builder.constant(kInt, 1);
  const SsaValue unconverged = builder.constant(ElementType::kI1, 1);
  // The denominator of step zero is zero, and small takes its place.
  const SsaValue h = x.like(small);
  const SsaValue initial[] = {one, unconverged, h, x.like(0), h};
  const SsaValues done = whileLoop(
      initial,
      [&](Arguments values) -> SsaValue {
        return (values[0] < static_cast<double>(limit)) & values[1];
      },
      [&](Arguments values) -> SsaValues {
        const SsaValue iteration = values[0];
        const SsaValue above = numerator(iteration, a, b, x), below = x.like(1);
        auto kept = [&](const SsaValue& v) { return select(abs(v) < small, v.like(small), v); };
        const SsaValue c = kept(below + above / values[2]);
        const SsaValue d = 1.0 / kept(below + above * values[3]);
        const SsaValue delta = c * d;
        const SsaValue h = values[4] * delta;
        return {iteration + 1.0, any(abs(delta - 1.0) >= small), c, d, h};
      });
  return done[4];
}

SsaValue emitBeta(Arguments operands) {
  const SsaValue &a = operands[0], &b = operands[1], &x = operands[2];
  const SsaValue aGone = equal(a, 0.0) | equal(b, oracle::kInfinity);
  const SsaValue bGone = equal(b, 0.0) | equal(a, oracle::kInfinity);
  const SsaValue atZero = equal(x, 0.0), atOne = equal(x, 1.0);
  const SsaValue isZero = (bGone & !atOne) | (aGone & atZero);
  const SsaValue isOne = (aGone & !atZero) | (bGone & atOne);
  const SsaValue outside = (a < 0.0) | (b < 0.0) | (x < 0.0) | (x > 1.0) | (aGone & bGone) |
                           (isNan(a) | isNan(b) | isNan(x));
  // It converges rapidly on one side; DLMF 8.17.4 mirrors the other one.
  const SsaValue direct = x < (a + 1.0) / (a + b + 2.0);
  const SsaValue p = select(direct, a, b), q = select(direct, b, a);
  const SsaValue t = select(direct, x, 1.0 - x);
  const SsaValue fraction = continuedFraction(p, q, t);
  const double tiny = std::ldexp(2.0, oracle::floatFormat(a.type).smallest);
  const SsaValue logBetaSmall = lgamma(q) - lgamma(p + q);
  const SsaValue logBeta = lgamma(p) + logBetaSmall;
  const SsaValue factor = select(p < tiny, exp(log1p(-t) * q - logBetaSmall),
                                 exp(log(t) * p + log1p(-t) * q - logBeta) / p);
  const SsaValue product = fraction * factor;
  SsaValue result = select(direct, product, 1.0 - product);
  result = select(isZero, result.like(0), result);
  result = select(isOne, result.like(1), result);
  return select(outside, result.like(oracle::kNan), result);
}

Real expectBeta(std::span<const Real> operands) {
  const Real &a = operands[0], &b = operands[1], &x = operands[2];
  const Real zero(0.0);
  if (a.isNan() || b.isNan() || x.isNan() || a < zero || b < zero || x < zero || Real(1.0) < x)
    return Real(oracle::kNan);
  return oracle::incompleteBeta(a, b, x);
}

}  // namespace

VINTAGE_FAMILY(addIncompleteBetaCases) {
  constexpr Domain kShape{
      .low = 0.1, .high = 10, .edges = Domain::Edges::kFew, .edgeLow = 0.5, .edgeHigh = 100};
  constexpr Domain kAbscissa{
      .low = 0, .high = 1, .edges = Domain::Edges::kAll, .edgeLow = -3, .edgeHigh = 3};
  addSpecialFunction(cases, {.name = "regularized_incomplete_beta",
                             .shape = {9, 10},
                             .domains = {kShape, kShape, kAbscissa},
                             .write = emitBeta,
                             .oracle = expectBeta,
                             // The rounding of an exponent of some tens, as in igamma, and the
                             // fraction starts from half an epsilon in place of zero.
                             .ulps = 1024});
}

}  // namespace vintage::primitives
