#include "golden/oracle/real.h"

#include <cmath>

#include "golden/oracle/number.h"

namespace vintage::golden::oracle {
namespace {

Complex timesI(const Complex& z) { return {-z.im, z.re}; }
Complex overI(const Complex& z) { return {z.im, -z.re}; }

}  // namespace

double Real::roundTo(ElementType type) const {
  const FloatFormat format = floatFormat(type);
  if (!isFinite() || isZero()) return withinFormat(format, toDouble());
  const long magnitude = exponent() - 1;  // 2^magnitude <= |x|
  const double sign = isNegative() ? -1.0 : 1.0;
  if (!format.subnormals && sign > 0 && magnitude < format.smallest)
    return std::ldexp(1.0, format.smallest);  // Nothing is nearer: there is no zero.
  if (magnitude > format.largest) return withinFormat(format, sign * kInfinity);
  const long precision = magnitude >= format.smallest
                             ? format.precision
                             : format.precision - (format.smallest - magnitude);
  if (precision < 1) {
    // Below the smallest subnormal: exactly half of it is a tie, and goes to zero.
    Real half(1.0);
    mpfr_mul_2si(half.get(), half.get(), format.smallest - format.precision, MPFR_RNDN);
    if (!(half < abs(*this))) return withinFormat(format, sign * 0.0);
    mpfr_mul_2si(half.get(), half.get(), 1, MPFR_RNDN);
    return withinFormat(format, sign * half.toDouble());
  }
  Real rounded;
  mpfr_set_prec(rounded.get(), precision);
  mpfr_set(rounded.get(), value_, MPFR_RNDN);
  if (rounded.exponent() - 1 > format.largest) return withinFormat(format, sign * kInfinity);
  return withinFormat(format, rounded.toDouble());
}

void storeRounded(Tensor& tensor, int64_t index, const Real& value) {
  store(tensor, index, {0, value.roundTo(tensor.type()), 0});
}

void storeRounded(Tensor& tensor, int64_t index, const Complex& value) {
  store(tensor, index, {0, value.re.roundTo(tensor.type()), value.im.roundTo(tensor.type())});
}

Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

Complex operator/(const Complex& a, const Complex& b) {
  const Real norm = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / norm, (a.im * b.re - a.re * b.im) / norm};
}

Complex exp(const Complex& z) {
  const Real scale = exp(z.re);
  return {scale * cos(z.im), scale * sin(z.im)};
}

Complex expm1(const Complex& z) {
  // e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y/2), which does not cancel near zero.
  const Real half = sin(z.im * Real(0.5));
  return {expm1(z.re) * cos(z.im) - Real(2.0) * half * half, exp(z.re) * sin(z.im)};
}

Complex log(const Complex& z) { return {log(hypot(z.re, z.im)), atan2(z.im, z.re)}; }

Complex log1p(const Complex& z) {
  const Real beyondOne = z.re * (Real(2.0) + z.re) + z.im * z.im;  // |1+z|^2 - 1
  return {Real(0.5) * log1p(beyondOne), atan2(z.im, Real(1.0) + z.re)};
}

Complex sqrt(const Complex& z) {
  if (z.re.isZero() && z.im.isZero()) return {Real(0.0), z.im};
  const Real modulus = hypot(z.re, z.im);
  // The larger part from the sum, the other one by division: nothing cancels.
  const Real larger = sqrt((modulus + abs(z.re)) * Real(0.5));
  const Real smaller = abs(z.im) / (Real(2.0) * larger);
  Complex root = z.re.isNegative() ? Complex{smaller, larger} : Complex{larger, smaller};
  if (z.im.isNegative()) root.im = -root.im;
  return root;
}

Complex rsqrt(const Complex& z) { return 1.0 / sqrt(z); }

Complex sinh(const Complex& z) { return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)}; }
Complex cosh(const Complex& z) { return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)}; }
Complex tanh(const Complex& z) { return sinh(z) / cosh(z); }
Complex sin(const Complex& z) { return overI(sinh(timesI(z))); }
Complex cos(const Complex& z) { return cosh(timesI(z)); }
Complex tan(const Complex& z) { return overI(tanh(timesI(z))); }

// Kahan, "Branch cuts for complex elementary functions": signs of zero decide
// the side of a cut.
Complex asin(const Complex& z) {
  const Complex below = sqrt(Complex{Real(1.0) - z.re, -z.im});
  const Complex above = sqrt(Complex{Real(1.0) + z.re, z.im});
  const Real cosine = below.re * above.re - below.im * above.im;  // Re(below * above)
  const Real sine = below.re * above.im - below.im * above.re;    // Im(conj(below) * above)
  return {atan2(z.re, cosine), Real::of(mpfr_asinh, sine)};
}

Complex asinh(const Complex& z) { return overI(asin(timesI(z))); }

Complex acos(const Complex& z) {
  const Complex below = sqrt(Complex{Real(1.0) - z.re, -z.im});
  const Complex above = sqrt(Complex{Real(1.0) + z.re, z.im});
  const Real sine = above.re * below.im - above.im * below.re;  // Im(conj(above) * below)
  return {Real(2.0) * atan2(below.re, above.re), Real::of(mpfr_asinh, sine)};
}

Complex acosh(const Complex& z) {
  const Complex below = sqrt(Complex{z.re - Real(1.0), z.im});
  const Complex above = sqrt(Complex{z.re + Real(1.0), z.im});
  const Real sine = below.re * above.re + below.im * above.im;  // Re(conj(below) * above)
  return {Real::of(mpfr_asinh, sine), Real(2.0) * atan2(below.im, above.re)};
}

Complex atanh(const Complex& z) {
  const Complex sum = log1p(z), difference = log1p(-z);
  return {Real(0.5) * (sum.re - difference.re), Real(0.5) * (sum.im - difference.im)};
}

Complex atan(const Complex& z) { return overI(atanh(timesI(z))); }

Complex logistic(const Complex& z) { return 1.0 / (1.0 + exp(-z)); }

Complex sign(const Complex& z) {
  const Real modulus = hypot(z.re, z.im);
  if (modulus.isZero()) return z;
  return {z.re / modulus, z.im / modulus};
}

Complex pow(const Complex& base, const Complex& exponent) {
  if (exponent.re.isZero() && exponent.im.isZero()) return 1.0;
  if (base.re.isZero() && base.im.isZero()) return 0.0;
  return exp(exponent * log(base));
}

}  // namespace vintage::golden::oracle
