#include "golden/oracle/real.h"

#include <cmath>
#include <vector>

#include "golden/oracle/number.h"

namespace vintage::golden::oracle {
namespace {

bool negligible(const Real& term, const Real& sum) {
  return term.isZero() || (!sum.isZero() && term.exponent() < sum.exponent() - Real::kPrecision);
}

// exp(-x) times the power series of the modified Bessel function, whose terms
// are all positive: nothing cancels.
Real besselScaled(const Real& x, int order) {
  const Real magnitude = abs(x);
  const Real quarter = magnitude * magnitude * Real(0.25);
  Real term = order == 0 ? Real(1.0) : magnitude * Real(0.5);
  Real sum = term;
  for (int k = 1; !term.isZero(); ++k) {
    term = term * quarter / (Real(k) * Real(k + order));
    sum = sum + term;
    if (negligible(term, sum)) break;
  }
  Real result = exp(-magnitude) * sum;
  return order == 1 && x.isNegative() ? -result : result;
}

// Lentz's evaluation of the continued fraction of the incomplete beta function
// (NIST DLMF 8.17.22), which converges for x < (a+1)/(a+b+2).
Real betaFraction(const Real& a, const Real& b, const Real& x) {
  const Real one(1.0);
  Real c = one, d = one / (one - (a + b) * x / (a + one)), fraction = d;
  for (int m = 1; m < 20000; ++m) {
    const Real n(m), twice(2.0 * m);
    Real coefficient = n * (b - n) * x / ((a + twice - one) * (a + twice));
    d = one / (one + coefficient * d);
    c = one + coefficient / c;
    fraction = fraction * d * c;
    coefficient = -(a + n) * (a + b + n) * x / ((a + twice) * (a + twice + one));
    d = one / (one + coefficient * d);
    c = one + coefficient / c;
    const Real change = d * c;
    fraction = fraction * change;
    if (negligible(change - one, one)) break;
  }
  return fraction;
}

// B_2j / (2j)! = (-1)^(j+1) 2 zeta(2j) / (2 pi)^2j for j = 1, 2, …. Computing them costs far more
// than hurwitzZeta() does with them.
constexpr int kCorrections = 40;
const std::vector<Real>& bernoulliCorrections() {
  static const std::vector<Real> values = [] {
    std::vector<Real> corrections;
    const Real circle = Real(4.0) * pi() * pi();
    Real scale = Real(1.0) / circle;
    for (int j = 1; j <= kCorrections; ++j) {
      corrections.push_back(Real(j % 2 == 1 ? 2.0 : -2.0) * Real::of(mpfr_zeta, Real(2.0 * j)) *
                            scale);
      scale = scale / circle;
    }
    return corrections;
  }();
  return values;
}

}  // namespace

const Real& pi() {
  static const Real value = [] {
    Real constant;
    mpfr_const_pi(constant.get(), MPFR_RNDN);
    return constant;
  }();
  return value;
}

Real lgamma(const Real& x) {
  Real result;
  int sign;
  mpfr_lgamma(result.get(), &sign, x.get(), MPFR_RNDN);
  return result;
}

Real erfInverse(const Real& y) {
  if (y.isNan() || Real(1.0) < abs(y)) return Real(kNan);
  if (y.isZero()) return y;
  if (abs(y) == Real(1.0)) return Real(y.isNegative() ? -kInfinity : kInfinity);
  // Newton on log erfc(x) = log(1 - |y|), whose left side is concave: from the
  // left it never overshoots far, and tails keep their relative precision.
  const Real tail = Real(1.0) - abs(y);
  const Real target = log(tail);
  const double start = std::sqrt(std::max(0.0, -std::log(std::max(tail.toDouble(), 1e-300))));
  Real x = abs(y) < Real(0.5) ? abs(y) * Real(0.886226925452758) : Real(start * 0.9);
  const Real slope = Real(2.0) / sqrt(pi());
  for (int i = 0; i < 60; ++i) {
    Real step;
    if (abs(y) < Real(0.5)) {
      step = (Real::of(mpfr_erf, x) - abs(y)) / (slope * exp(-(x * x)));
    } else {
      const Real complement = Real::of(mpfr_erfc, x);
      step = (target - log(complement)) * complement / (slope * exp(-(x * x)));
    }
    x = x - step;
    if (step.isZero() || step.exponent() < x.exponent() - 170) break;
  }
  return y.isNegative() ? -x : x;
}

Real besselI0e(const Real& x) { return besselScaled(x, 0); }
Real besselI1e(const Real& x) { return besselScaled(x, 1); }

Real igammac(const Real& a, const Real& x) {
  return Real::of(mpfr_gamma_inc, a, x) / Real::of(mpfr_gamma, a);
}

Real igamma(const Real& a, const Real& x) {
  if (x.isZero()) return Real(0.0);
  if (x.isInfinite()) return Real(1.0);
  if (a + Real(1.0) < x) return Real(1.0) - igammac(a, x);
  // x^a e^-x / Gamma(a+1) * sum of x^n / ((a+1)...(a+n)), all positive.
  Real term(1.0), sum(1.0);
  for (int n = 1; n < 20000; ++n) {
    term = term * x / (a + Real(n));
    sum = sum + term;
    if (negligible(term, sum)) break;
  }
  return exp(a * log(x) - x - lgamma(a + Real(1.0))) * sum;
}

Real igammaDerivative(const Real& a, const Real& x) {
  // A central difference: its error is of the order of the step squared, its
  // rounding that of the function's values divided by the step.
  const Real step = a * Real(0x1p-48);
  // The smaller of the two functions has more correct digits.
  const bool upper = a < x;
  const Real above = upper ? igammac(a + step, x) : igamma(a + step, x);
  const Real below = upper ? igammac(a - step, x) : igamma(a - step, x);
  const Real slope = (above - below) / (step + step);
  return upper ? -slope : slope;
}

Real gammaDensity(const Real& a, const Real& x) {
  return exp((a - Real(1.0)) * log(x) - x - lgamma(a));
}

Real incompleteBeta(const Real& a, const Real& b, const Real& x) {
  const Real one(1.0);
  if (x.isZero()) return Real(0.0);
  if (x == one) return one;
  const Real front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b));
  if (x < (a + one) / (a + b + Real(2.0))) return front * betaFraction(a, b, x) / a;
  return one - front * betaFraction(b, a, one - x) / b;
}

Real hurwitzZeta(const Real& s, const Real& q) {
  // Euler-Maclaurin: a direct sum of N terms, the integral, half of the last term, and corrections
  // with Bernoulli numbers B2, B4, ….
  constexpr int kTerms = 40;
  Real sum(0.0);
  for (int k = 0; k < kTerms; ++k) sum = sum + Real::of(mpfr_pow, q + Real(k), -s);
  const Real border = q + Real(kTerms);
  sum = sum + Real::of(mpfr_pow, border, Real(1.0) - s) / (s - Real(1.0)) +
        Real(0.5) * Real::of(mpfr_pow, border, -s);
  Real rising = s;  // s (s+1) … (s+2j-2)
  Real power = Real::of(mpfr_pow, border, -s - Real(1.0));
  int j = 0;
  for (const Real& bernoulli : bernoulliCorrections()) {
    ++j;
    const Real term = bernoulli * rising * power;
    sum = sum + term;
    if (negligible(term, sum)) break;
    rising = rising * (s + Real(2.0 * j - 1)) * (s + Real(2.0 * j));
    power = power / (border * border);
  }
  return sum;
}

Real polygamma(int n, const Real& x) {
  if (n == 0) return Real::of(mpfr_digamma, x);
  const Real factorial = Real::of(mpfr_gamma, Real(n + 1.0));
  const Real value = factorial * hurwitzZeta(Real(n + 1.0), x);
  return n % 2 == 1 ? value : -value;
}

}  // namespace vintage::golden::oracle
