#include "primitives/catalogue/special/incomplete_gamma_lowering.h"

#include <cmath>
#include <vector>

#include "golden/oracle/number.h"

namespace vintage::primitives::catalogue {
namespace {

double epsilonOf(ElementType type) {
  return std::ldexp(1.0, 1 - oracle::floatFormat(type).precision);
}

double largestOf(ElementType type) {
  const oracle::FloatFormat format = oracle::floatFormat(type);
  return std::ldexp(2.0 - std::ldexp(1.0, 1 - format.precision), format.largest);
}

std::vector<Expression> expressions(FunctionWriter& writer, std::span<const SsaValue> values) {
  std::vector<Expression> result;
  for (const SsaValue& value : values) result.emplace_back(writer, value);
  return result;
}

std::vector<SsaValue> valuesOf(std::span<const Expression> expressions) {
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
  const Expression largest(a.writer(), a.writer().number(a.type(), largestOf(a.type())));
  const Expression underflows = power < (-log(largest)).broadcastTo(a.shape());
  return {exp(power), underflows};
}

Expression gammaSeries(const Expression& front, const Expression& x, const Expression& a,
                       const Expression& enabled, GammaMode mode) {
  FunctionWriter& writer = a.writer();
  const double epsilon = epsilonOf(a.type());
  // enabled, r, c, sum, x, dc/da, dsum/da
  const Expression initial[] = {enabled, a, a.like(1), a.like(1), x, a.like(0), a.like(0)};
  const std::vector<SsaValue> done = writer.whileLoop(
      valuesOf(initial),
      [&](std::span<const SsaValue> values) -> SsaValue { return any({writer, values[0]}); },
      [&](std::span<const SsaValue> values) {
        const std::vector<Expression> old = expressions(writer, values);
        const Expression &going = old[0], &abscissa = old[4];
        const Expression r = old[1] + 1.0;
        const Expression slope = old[5] * (abscissa / r) - (old[2] * abscissa) / (r * r);
        const Expression sumSlope = old[6] + slope;
        const Expression term = old[2] * (abscissa / r);
        const Expression sum = old[3] + term;
        const Expression change =
            mode == GammaMode::kValue ? term / sum : abs(slope / sumSlope);
        std::vector<Expression> next{going & (change > epsilon), r, term, sum, abscissa, slope,
                                     sumSlope};
        keepWhereDone(going, std::span(old).subspan(1), std::span(next).subspan(1));
        return valuesOf(next);
      });
  const Expression sum(writer, done[3]), slope(writer, done[6]);
  if (mode == GammaMode::kValue) return (sum * front) / a;
  const Expression logarithmic = log(x) - digamma(a + 1.0);
  if (mode == GammaMode::kDerivative) return front * (sum * logarithmic + slope) / a;
  return -(slope + sum * logarithmic) * x / a;
}

Expression gammaFraction(const Expression& front, const Expression& x, const Expression& a,
                         const Expression& enabled, GammaMode mode) {
  FunctionWriter& writer = a.writer();
  const double epsilon = epsilonOf(a.type());
  const Expression y = 1.0 - a;
  const Expression z = x + y + 1.0;
  const Expression p1 = x + 1.0;
  const Expression q1 = z * x;
  const Expression first = p1 / q1;
  const Expression zero = x.like(0);
  const Expression q1Slope = -x;
  const Expression slope = (zero - first * q1Slope) / q1;
  const Expression count(writer, writer.number(a.type(), 0));
  // enabled, fraction, change, y, z, count, p1, q1, p2, q2, the slopes of p2, q2, p1, q1 and of
  // the fraction by a.
  const Expression initial[] = {enabled, first,    x.like(1), y,    z,    count, p1,   q1,
                                x.like(1), x, zero, zero, zero, q1Slope, slope};
  const std::vector<SsaValue> done = writer.whileLoop(
      valuesOf(initial),
      [&](std::span<const SsaValue> values) -> SsaValue {
        const Expression counted(writer, values[5]);
        const Expression remains = counted < 2000.0;
        return remains & any({writer, values[0]});
      },
      [&](std::span<const SsaValue> values) {
        const std::vector<Expression> old = expressions(writer, values);
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
        const Expression slope =
            select(usable, (pSlope - fraction * qSlope) / q, old[14]);
        const Expression slopeChange = select(usable, abs(slope - old[14]), slope.like(1));
        // The recurrence grows without bound; both sides of it shrink together.
        const Expression large = abs(p) > 1.0 / epsilon;
        auto shrunk = [&](const Expression& v) { return select(large, v * epsilon, v); };
        const Expression goesOn =
            going & ((mode == GammaMode::kValue ? change : slopeChange) > epsilon);
        std::vector<Expression> next{goesOn,         fraction,       change,         y,
                                     z,              counted,        shrunk(p),      shrunk(q),
                                     shrunk(old[6]), shrunk(old[7]), shrunk(old[12]),
                                     shrunk(old[13]), shrunk(pSlope), shrunk(qSlope), slope};
        keepWhereDone(going, std::span(old).subspan(1, 4), std::span(next).subspan(1, 4));
        keepWhereDone(going, std::span(old).subspan(6), std::span(next).subspan(6));
        return valuesOf(next);
      });
  const Expression fraction(writer, done[1]), fractionSlope(writer, done[14]);
  if (mode == GammaMode::kValue) return fraction * front;
  const Expression logarithmic = log(x) - digamma(a);
  if (mode == GammaMode::kDerivative) return front * (fraction * logarithmic + fractionSlope);
  return -((fractionSlope + fraction * logarithmic) * x);
}

}  // namespace vintage::primitives::catalogue
