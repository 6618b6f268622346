// Hurwitz' zeta by Euler and Maclaurin's sum, and polygamma from it.
#include <limits>

#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

// Bernoulli's numbers over factorials: (2k)! / B2k, inverted.
constexpr double kCoefficients[] = {
    -1.3954464685812522e-19,  5.5090028283602295e-18,  -2.1748686985580617e-16,
    8.58606205627784458e-15,  -3.3896802963225832e-13, 1.33825365306846787e-11,
    -5.28419013868749338e-10, 2.08767569878681e-8,     -8.26719576719576754e-07,
    3.30687830687830696e-05,  -0.00138888888888888894};
constexpr int kTerms = 9;  // Written out, after the first one.

}  // namespace

Expression zeta(const Expression& x, const Expression& q) {
  const Expression zero = constantLike(x, 0), one = constantLike(x, 1);
  Expression place = q;
  const Expression exponent = -x;
  Expression power = place.apply("stablehlo.power", exponent);
  Expression sum = power;
  for (int i = 0; i < kTerms; ++i) {
    place = place + one;
    power = place.apply("stablehlo.power", exponent);
    sum = sum + power;
  }
  place = place + one;
  power = place.apply("stablehlo.power", exponent);
  const Expression scaled = power * place;
  const Expression integral = scaled / (x - one);
  const Expression square = place * place;
  const Expression inverse = one / square;
  Expression correction = zero;
  for (size_t i = 0; i < std::size(kCoefficients); ++i) {
    const auto high = static_cast<double>(2 * (std::size(kCoefficients) - i));
    const Expression upper = x + constantLike(x, high);
    const Expression factor = upper * (x + constantLike(x, high - 1));
    const Expression inner = inverse * (correction + constantLike(x, kCoefficients[i]));
    correction = factor * inner;
  }
  const Expression ratio = x / place;
  const Expression rest = ratio * (constantLike(x, 1.0 / 12) + correction);
  const Expression half = power * (constantLike(x, 0.5) + rest);
  const Expression total = sum + integral + half;
  const double epsilon = x.type() == ElementType::kF64
                             ? std::numeric_limits<double>::denorm_min()
                             : double{std::numeric_limits<float>::denorm_min()};
  const Expression powerSize = abs(power);
  const Expression border = abs(sum) * constantLike(x, epsilon);
  const Expression settled = compared("LT", powerSize, border);
  Expression result = select(settled, sum, total);
  const Expression notANumber = constantLike(x, std::numeric_limits<double>::quiet_NaN());
  const Expression infinity = constantLike(x, std::numeric_limits<double>::infinity());
  result = select(compared("LT", x, one), notANumber, result);
  const Expression negative = compared("LE", q, zero);
  const Expression broken = compared("NE", x, x.apply("stablehlo.floor"));
  result = select(negative & broken, notANumber, result);
  const Expression whole = compared("EQ", q, q.apply("stablehlo.floor"));
  const Expression atPole = negative & whole;
  const Expression wholeExponent = compared("EQ", x, x.apply("stablehlo.floor"));
  const Expression remainder = x.apply("stablehlo.remainder", constantLike(x, 2));
  const Expression even = wholeExponent & compared("EQ", remainder, zero);
  const Expression pole = select(even, infinity, notANumber);
  result = select(atPole, pole, result);
  return select(compared("EQ", x, one), infinity, result);
}

// (-1)^(n+1) n! zeta(n+1, x), and digamma of order zero.
Expression polygamma(const Expression& order, const Expression& x) {
  const Expression one = constantLike(x, 1), two = constantLike(x, 2), zero = constantLike(x, 0);
  const Expression parity = order.apply("stablehlo.remainder", two);
  const Expression sign = two * parity - one;
  const Expression next = order + one;
  const Expression factorial = exp(chlo::lgamma(next));
  const Expression sum = chlo::zeta(next, x);
  const Expression general = sign * factorial * sum;
  const Expression isZero = compared("EQ", order, zero);
  const Expression result = select(isZero, chlo::digamma(x), general);
  const Expression broken = compared("NE", order, order.apply("stablehlo.floor"));
  const Expression outside = broken | compared("LT", order, zero);
  const Expression notANumber = constantLike(x, std::numeric_limits<double>::quiet_NaN());
  return select(outside, notANumber, result);
}

}  // namespace vintage::primitives::chlo
