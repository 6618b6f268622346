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

SsaValue zeta(const SsaValue& x, const SsaValue& q) {
  const SsaValue zero = constantLike(x, 0), one = constantLike(x, 1);
  SsaValue place = q;
  const SsaValue exponent = -x;
  SsaValue power = same("stablehlo.power", place, exponent);
  SsaValue sum = power;
  for (int i = 0; i < kTerms; ++i) {
    place = place + one;
    power = same("stablehlo.power", place, exponent);
    sum = sum + power;
  }
  place = place + one;
  power = same("stablehlo.power", place, exponent);
  const SsaValue scaled = power * place;
  const SsaValue integral = scaled / (x - one);
  const SsaValue square = place * place;
  const SsaValue inverse = one / square;
  SsaValue correction = zero;
  for (size_t i = 0; i < std::size(kCoefficients); ++i) {
    const auto high = static_cast<double>(2 * (std::size(kCoefficients) - i));
    const SsaValue upper = x + constantLike(x, high);
    const SsaValue factor = upper * (x + constantLike(x, high - 1));
    const SsaValue inner = inverse * (correction + constantLike(x, kCoefficients[i]));
    correction = factor * inner;
  }
  const SsaValue ratio = x / place;
  const SsaValue rest = ratio * (constantLike(x, 1.0 / 12) + correction);
  const SsaValue half = power * (constantLike(x, 0.5) + rest);
  const SsaValue total = sum + integral + half;
  const double epsilon = x.type == ElementType::kF64
                             ? std::numeric_limits<double>::denorm_min()
                             : double{std::numeric_limits<float>::denorm_min()};
  const SsaValue powerSize = abs(power);
  const SsaValue border = abs(sum) * constantLike(x, epsilon);
  const SsaValue settled = compared("LT", powerSize, border);
  SsaValue result = select(settled, sum, total);
  const SsaValue notANumber = constantLike(x, oracle::kNan);
  const SsaValue infinity = constantLike(x, oracle::kInfinity);
  result = select(compared("LT", x, one), notANumber, result);
  const SsaValue negative = compared("LE", q, zero);
  const SsaValue broken = compared("NE", x, same("stablehlo.floor", x));
  result = select(negative & broken, notANumber, result);
  const SsaValue whole = compared("EQ", q, same("stablehlo.floor", q));
  const SsaValue atPole = negative & whole;
  const SsaValue wholeExponent = compared("EQ", x, same("stablehlo.floor", x));
  const SsaValue remainder = same("stablehlo.remainder", x, constantLike(x, 2));
  const SsaValue even = wholeExponent & compared("EQ", remainder, zero);
  const SsaValue pole = select(even, infinity, notANumber);
  result = select(atPole, pole, result);
  return select(compared("EQ", x, one), infinity, result);
}

// (-1)^(n+1) n! zeta(n+1, x), and digamma of order zero.
SsaValue polygamma(const SsaValue& order, const SsaValue& x) {
  const SsaValue one = constantLike(x, 1), two = constantLike(x, 2), zero = constantLike(x, 0);
  const SsaValue parity = same("stablehlo.remainder", order, two);
  const SsaValue sign = two * parity - one;
  const SsaValue next = order + one;
  const SsaValue factorial = exp(chlo::lgamma(next));
  const SsaValue sum = chlo::zeta(next, x);
  const SsaValue general = sign * factorial * sum;
  const SsaValue isZero = compared("EQ", order, zero);
  const SsaValue result = select(isZero, chlo::digamma(x), general);
  const SsaValue broken = compared("NE", order, same("stablehlo.floor", order));
  const SsaValue outside = broken | compared("LT", order, zero);
  const SsaValue notANumber = constantLike(x, oracle::kNan);
  return select(outside, notANumber, result);
}

}  // namespace vintage::primitives::chlo
