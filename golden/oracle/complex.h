// Complex numbers over Real, with the principal branches of C99's functions.
#pragma once

#include "golden/oracle/real.h"
#include "golden/oracle/room.h"

namespace vintage::golden::oracle {

struct Complex {
  Real re, im;
};

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

}  // namespace vintage::golden::oracle
