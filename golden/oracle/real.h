// Real numbers of 192 bits on MPFR, for formulas of oracles.
#pragma once

#include <mpfr.h>

#include "golden/tensor/tensor.h"

namespace vintage::golden::oracle {

class Real {
 public:
  static constexpr mpfr_prec_t kPrecision = 192;

  Real() {
    mpfr_init2(value_, kPrecision);
    mpfr_set_zero(value_, 1);
  }
  Real(double value) {
    mpfr_init2(value_, kPrecision);
    mpfr_set_d(value_, value, MPFR_RNDN);
  }
  Real(const Real& other) {
    mpfr_init2(value_, kPrecision);
    mpfr_set(value_, other.value_, MPFR_RNDN);
  }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  static Real of(Unary function, const Real& x) {
    Real result;
    function(result.value_, x.value_, MPFR_RNDN);
    return result;
  }
  static Real of(Binary function, const Real& x, const Real& y) {
    Real result;
    function(result.value_, x.value_, y.value_, MPFR_RNDN);
    return result;
  }

  friend Real operator+(const Real& a, const Real& b) { return of(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return of(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return of(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return of(mpfr_div, a, b); }
  friend Real operator-(const Real& a) { return of(mpfr_neg, a); }
  friend bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.value_, b.value_); }
  friend bool operator==(const Real& a, const Real& b) { return mpfr_equal_p(a.value_, b.value_); }

  bool isNan() const { return mpfr_nan_p(value_); }
  bool isInfinite() const { return mpfr_inf_p(value_); }
  bool isFinite() const { return mpfr_number_p(value_); }
  bool isZero() const { return mpfr_zero_p(value_); }
  bool isNegative() const { return mpfr_signbit(value_); }
  double toDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }
  // Binary exponent e with 2^(e-1) <= |x| < 2^e; for finite values except zero.
  long exponent() const { return mpfr_get_exp(value_); }

  // To the nearest value of a float type, ties to even, as an exact double.
  double roundTo(ElementType type) const;

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }

 private:
  mpfr_t value_;
};

inline Real abs(const Real& x) { return Real::of(mpfr_abs, x); }
inline Real sqrt(const Real& x) { return Real::of(mpfr_sqrt, x); }
inline Real exp(const Real& x) { return Real::of(mpfr_exp, x); }
inline Real log(const Real& x) { return Real::of(mpfr_log, x); }
inline Real log1p(const Real& x) { return Real::of(mpfr_log1p, x); }
inline Real expm1(const Real& x) { return Real::of(mpfr_expm1, x); }
inline Real sin(const Real& x) { return Real::of(mpfr_sin, x); }
inline Real cos(const Real& x) { return Real::of(mpfr_cos, x); }
inline Real sinh(const Real& x) { return Real::of(mpfr_sinh, x); }
inline Real cosh(const Real& x) { return Real::of(mpfr_cosh, x); }
inline Real atan2(const Real& y, const Real& x) { return Real::of(mpfr_atan2, y, x); }
inline Real hypot(const Real& x, const Real& y) { return Real::of(mpfr_hypot, x, y); }

// Complex numbers over Real, with the principal branches of C99's functions.

struct Complex {
  Complex() = default;
  Complex(double real) : re(real) {}
  Complex(const Real& real, const Real& imaginary) : re(real), im(imaginary) {}

  Real re, im;
};

// Rounded once.
void storeRounded(Tensor& tensor, int64_t index, const Real& value);
void storeRounded(Tensor& tensor, int64_t index, const Complex& value);
inline Complex operator+(const Complex& a, const Complex& b) { return {a.re + b.re, a.im + b.im}; }
inline Complex operator-(const Complex& a, const Complex& b) { return {a.re - b.re, a.im - b.im}; }
inline Complex operator-(const Complex& a) { return {-a.re, -a.im}; }
Complex operator*(const Complex& a, const Complex& b);
Complex operator/(const Complex& a, const Complex& b);

Complex exp(const Complex& z);
Complex expm1(const Complex& z);
Complex log(const Complex& z);
Complex log1p(const Complex& z);
Complex sqrt(const Complex& z);
Complex rsqrt(const Complex& z);
Complex sin(const Complex& z);
Complex cos(const Complex& z);
Complex tan(const Complex& z);
Complex sinh(const Complex& z);
Complex cosh(const Complex& z);
Complex tanh(const Complex& z);
Complex asin(const Complex& z);
Complex acos(const Complex& z);
Complex atan(const Complex& z);
Complex asinh(const Complex& z);
Complex acosh(const Complex& z);
Complex atanh(const Complex& z);
Complex logistic(const Complex& z);
// z / |z|; zero of zero.
Complex sign(const Complex& z);
Complex pow(const Complex& base, const Complex& exponent);

const Real& pi();
// The logarithm of the absolute value.
Real lgamma(const Real& x);

// Special functions that MPFR lacks, at Real's precision less a few bits.

Real erfInverse(const Real& y);              // |y| <= 1
Real besselI0e(const Real& x);               // exp(-|x|) I0(x), |x| <= 700
Real besselI1e(const Real& x);               // exp(-|x|) I1(x), |x| <= 700
Real igamma(const Real& a, const Real& x);   // Regularized lower, a > 0, x >= 0
Real igammac(const Real& a, const Real& x);  // Regularized upper
// dP/da and dP/dx of the regularized lower one, a > 0, x > 0; half of Real's bits hold.
Real igammaDerivative(const Real& a, const Real& x);
Real gammaDensity(const Real& a, const Real& x);
Real incompleteBeta(const Real& a, const Real& b, const Real& x);  // Regularized, 0 <= x <= 1
// psi^(n)(x) for integers n >= 0 and x > 0; zeta(s, q) of Hurwitz for s > 1, q > 0.
Real polygamma(int n, const Real& x);
Real hurwitzZeta(const Real& s, const Real& q);

}  // namespace vintage::golden::oracle
