#include "harness/engine/operations/special_functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/erf.hpp>

namespace vintage::harness {
using namespace golden;

namespace {

using Wide = long double;

constexpr Wide kPi = std::numbers::pi_v<Wide>;
constexpr Wide kNan = std::numeric_limits<Wide>::quiet_NaN();
constexpr Wide kInfinity = std::numeric_limits<Wide>::infinity();
constexpr Wide kGammaEpsilon = std::numeric_limits<Wide>::epsilon();

// B_2, B_4, …, B_24.
constexpr std::array<Wide, 12> kBernoulli = {
    1.0L / 6,       -1.0L / 30,       1.0L / 42,       -1.0L / 30,
    5.0L / 66,      -691.0L / 2730,   7.0L / 6,        -3617.0L / 510,
    43867.0L / 798, -174611.0L / 330, 854513.0L / 138, -236364091.0L / 2730};

// Where the asymptotic series, cut after B_24, is as good as long double.
constexpr Wide kAsymptotic = 13;

bool isInteger(Wide x) { return std::floor(x) == x; }

// ζ(s, q) for s > 1 and q > 0, by Euler and Maclaurin's summation: terms up to
// some q + n, and a series in 1 / (q + n) for the rest.
Wide positiveZeta(Wide s, Wide q) {
  Wide sum = 0, base = q;
  // The series needs q + n beyond both kAsymptotic and s.
  while (base < kAsymptotic + s) {
    const Wide term = std::pow(base, -s);
    sum += term;
    base += 1;
    if (term <= sum * kGammaEpsilon / 16 || std::isinf(sum)) return sum;
  }
  const Wide power = std::pow(base, -s);
  sum += power * base / (s - 1) + power / 2;
  Wide factor = power * s / base;  // s (s+1) … (s+2j-2) base^(1-s-2j) / (2j)!, times (2j)!/...
  for (size_t j = 0; j < kBernoulli.size(); ++j) {
    const Wide twice = 2 * static_cast<Wide>(j + 1);
    const Wide term = kBernoulli[j] * factor / std::tgamma(twice + 1);
    sum += term;
    if (std::fabs(term) <= std::fabs(sum) * kGammaEpsilon / 16) break;
    factor *= (s + twice - 1) * (s + twice) / (base * base);
  }
  return sum;
}

}  // namespace

Wide logGamma(double x) {
  if (x <= 0 && isInteger(x)) return kInfinity;
  int sign = 0;
  return ::lgammal_r(x, &sign);
}

Wide digamma(double argument) {
  const Wide x = argument;
  if (std::isnan(x) || x == -kInfinity || (x <= 0 && isInteger(x))) return kNan;
  if (x == kInfinity) return kInfinity;
  return boost::math::digamma(x);
}

Wide hurwitzZeta(double exponent, double start) {
  const Wide s = exponent, q = start;
  if (std::isnan(s) || std::isnan(q)) return kNan;
  if (s == 1) return kInfinity;
  if (s < 1) return kNan;
  if (q <= 0) {
    if (isInteger(q)) {
      // A pole that is approached from one side only where s is odd.
      return isInteger(s) && std::fmod(s, 2.0L) == 0 ? kInfinity : kNan;
    }
    if (!isInteger(s)) return kNan;
    // Terms below zero, backwards from it, and the rest from the fraction on.
    const Wide fraction = q - std::floor(q), count = -std::floor(q);
    const Wide below = positiveZeta(s, 1 - fraction) - positiveZeta(s, count + 1 - fraction);
    return positiveZeta(s, fraction) + (std::fmod(s, 2.0L) == 0 ? below : -below);
  }
  if (std::isinf(q)) return 0;
  return positiveZeta(s, q);
}

Wide polygamma(double n, double x) {
  if (std::isnan(n) || std::isnan(x) || n < 0 || !isInteger(n)) return kNan;
  if (n == 0) return digamma(x);
  const Wide zeta = hurwitzZeta(n + 1, x), order = n;
  // From here on the factorial alone would overflow.
  constexpr Wide kLargestFactorial = 1700;
  const Wide magnitude =
      order < kLargestFactorial
          ? std::tgamma(order + 1) * zeta
          : std::copysign(std::exp(std::lgamma(order + 1) + std::log(std::fabs(zeta))), zeta);
  return std::fmod(n, 2.0) == 1 ? magnitude : -magnitude;
}

Wide inverseErf(double argument) {
  const Wide y = argument;
  const Wide size = std::fabs(y);
  if (!(size <= 1)) return kNan;
  if (size == 1) return std::copysign(kInfinity, y);
  if (size == 0) return y;
  return boost::math::erf_inv(y);
}

Wide besselI1e(double argument) {
  const Wide x = std::fabs(static_cast<Wide>(argument));
  if (std::isnan(x)) return x;
  Wide value;
  if (x <= 30) {
    // (x/2) Σ (x²/4)^k / (k! (k+1)!): all terms are positive.
    const Wide quarter = x * x / 4;
    Wide term = x / 2, sum = term;
    for (int k = 1; term > sum * kGammaEpsilon / 16; ++k) {
      term *= quarter / (static_cast<Wide>(k) * static_cast<Wide>(k + 1));
      sum += term;
    }
    value = sum * std::exp(-x);
  } else {
    // Hankel's expansion: Π (4 - (2i-1)²) / (k! (8x)^k) with changing signs.
    Wide term = 1, sum = 1;
    for (int k = 1; k < 40; ++k) {
      const Wide odd = 2 * static_cast<Wide>(k) - 1;
      const Wide next = -term * (4 - odd * odd) / (static_cast<Wide>(k) * 8 * x);
      if (std::fabs(next) >= std::fabs(term)) break;  // From here on it diverges.
      term = next;
      sum += term;
      if (std::fabs(term) <= sum * kGammaEpsilon / 16) break;
    }
    value = sum / std::sqrt(2 * kPi * x);
  }
  return std::copysign(value, static_cast<Wide>(argument));
}

}  // namespace vintage::harness
