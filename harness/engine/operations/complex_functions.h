// Functions of complex numbers beyond, or more careful than, the library's.
//
// complex<float> is computed in double, so that intermediate cancellation and
// overflow do not show in the result. complex<double> uses long double where
// the formula itself cancels, and the C library elsewhere.
#pragma once

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "golden/tensor/visit.h"

namespace vintage::harness {

template <typename T>
using WiderReal = std::conditional_t<std::is_same_v<T, float>, double, long double>;

// `function` in double; for complex<double> in double itself.
template <typename T, typename Function>
std::complex<T> wideComplex(std::complex<T> z, Function function) {
  const std::complex<double> result = function(std::complex<double>(z));
  return {static_cast<T>(result.real()), static_cast<T>(result.imag())};
}

// `kReal`, a function of doubles, for all floats, and `kComplex` for complex numbers: a float is
// computed in double and rounded once, which gives the correctly rounded answer but for the rarest
// cases.
template <auto kReal, auto kComplex>
constexpr auto kRealOrComplex = []<typename T, typename... Further>(T x, Further... y) -> T {
  if constexpr (golden::kIsComplexStorage<T>)
    return kComplex(x, y...);
  else
    return static_cast<T>(kReal(static_cast<double>(x), static_cast<double>(y)...));
};

// One function for both, of double and of complex<double>.
template <auto kFunction>
constexpr auto kInDouble =
    kRealOrComplex<kFunction, [](auto z) { return wideComplex(z, kFunction); }>;

template <typename T>
std::complex<T> narrowed(WiderReal<T> real, WiderReal<T> imaginary) {
  return {static_cast<T>(real), static_cast<T>(imaginary)};
}

// e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y/2), without cancellation near 0.
template <typename T>
std::complex<T> complexExponentialMinusOne(std::complex<T> z) {
  using Wide = WiderReal<T>;
  const Wide x = z.real(), y = z.imag();
  if (y == 0) return {std::expm1(z.real()), z.imag()};
  const Wide half = std::sin(y / 2);
  const Wide growth = std::expm1(x);
  if (std::isinf(growth)) return narrowed<T>(growth * std::cos(y), growth * std::sin(y));
  return narrowed<T>(growth * std::cos(y) - 2 * half * half, std::exp(x) * std::sin(y));
}

// log|1+z| = log1p(x (2+x) + y^2) / 2 where 1+z is near the unit circle.
template <typename T>
std::complex<T> complexLogPlusOne(std::complex<T> z) {
  using Wide = WiderReal<T>;
  const Wide x = z.real(), y = z.imag();
  const Wide modulus = std::hypot(1 + x, y);
  const Wide real = modulus > Wide(0.5) && modulus < Wide(2) ? std::log1p(x * (2 + x) + y * y) / 2
                                                             : std::log(modulus);
  return narrowed<T>(real, std::atan2(y, 1 + x));
}

template <typename T>
std::complex<T> complexRsqrt(std::complex<T> z) {
  return wideComplex(z, [](std::complex<double> w) -> std::complex<double> {
    if (std::isinf(w.real()) || std::isinf(w.imag())) return {0, std::copysign(0.0, -w.imag())};
    if (w == std::complex<double>(0))
      return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
    return 1.0 / std::sqrt(w);
  });
}

// The principal root: a third of the argument.
template <typename T>
std::complex<T> complexCbrt(std::complex<T> z) {
  return wideComplex(z, [](std::complex<double> w) {
    return std::polar(std::cbrt(std::abs(w)), std::arg(w) / 3);
  });
}

template <typename T>
std::complex<T> complexSign(std::complex<T> z) {
  using Wide = WiderReal<T>;
  if (std::isnan(z.real()) || std::isnan(z.imag())) {
    constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
    return {kNan, kNan};
  }
  if (z == std::complex<T>(0)) return z;
  const Wide modulus = std::hypot(Wide(z.real()), Wide(z.imag()));
  return narrowed<T>(z.real() / modulus, z.imag() / modulus);
}

// 0^0 is 1, and 0 to a power of positive real part is 0, as XLA has it.
template <typename T>
std::complex<T> complexPower(std::complex<T> base, std::complex<T> exponent) {
  if (exponent == std::complex<T>(0)) return {1, 0};
  if (base == std::complex<T>(0))
    if (exponent.imag() == 0 && exponent.real() > 0) return {0, 0};
  const auto power = std::pow(std::complex<double>(base), std::complex<double>(exponent));
  return {static_cast<T>(power.real()), static_cast<T>(power.imag())};
}

// C11, G.6.2.6: beside an infinite or a NaN real part there is no limit, not even on the real axis.
// Newer C libraries give an imaginary part there.
template <typename T>
std::complex<T> complexTangent(std::complex<T> z) {
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  if (!std::isfinite(z.real()) && std::isfinite(z.imag())) return {kNan, kNan};
  return wideComplex(z, [](auto wide) { return std::tan(wide); });
}

// -i log((x + i y) / sqrt(x^2 + y^2)), the argument y being the first one.
template <typename T>
std::complex<T> complexAtan2(std::complex<T> y, std::complex<T> x) {
  using C = std::complex<double>;
  const C a(x), b(y), i(0, 1);
  const C result = -i * std::log((a + i * b) / std::sqrt(a * a + b * b));
  return {static_cast<T>(result.real()), static_cast<T>(result.imag())};
}

}  // namespace vintage::harness
