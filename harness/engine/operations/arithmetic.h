// Arithmetic of StableHLO on two elements of one type, as function objects: for
// elementwise loops and for the folds of reductions.
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "golden/tensor/visit.h"
#include "harness/engine/operations/complex_functions.h"

namespace vintage::harness {

template <typename T>
using UnsignedOf = std::make_unsigned_t<T>;

// Integers wrap around; computed at least in unsigned int, so that small types
// are not promoted to a signed int that could overflow.
template <typename T>
using Wrapping = std::common_type_t<UnsignedOf<T>, unsigned>;

// The bits of an integer; of one of 2 or 4 bits without what fills up its byte.
template <typename T>
constexpr int kBitsOf =
    std::numeric_limits<T>::digits + (std::numeric_limits<T>::is_signed ? 1 : 0);
template <typename T>
auto bitsOf(T x) {
  if constexpr (golden::kIsNarrowIntegerStorage<T>)
    return static_cast<uint8_t>(static_cast<typename T::Byte>(x) & ((1 << kBitsOf<T>)-1));
  else
    return static_cast<UnsignedOf<T>>(x);
}

// An integer or a predicate as int64_t; unsigned ones beyond its range saturate.
template <typename T>
int64_t saturated(T element) {
  const golden::Computation<T> value(element);
  constexpr auto kLargest = std::numeric_limits<int64_t>::max();
  return std::cmp_greater(value, kLargest) ? kLargest : static_cast<int64_t>(value);
}

inline constexpr auto kAdd = []<typename T>(T x, T y) -> T {
  if constexpr (golden::kIsPredicateStorage<T>)
    return T(x || y);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(x) + static_cast<Wrapping<T>>(y));
  else
    return x + y;
};

inline constexpr auto kSubtract = []<typename T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(x) - static_cast<Wrapping<T>>(y));
  else
    return x - y;
};

// a b + c, rounded once. XLA's CPU code contracts the products of complex
// numbers in this way, and has no repair of infinities as C has.
inline float multiplyAdd(float a, float b, float c) {
  return static_cast<float>(static_cast<double>(a) * b + c);
}
inline double multiplyAdd(double a, double b, double c) { return std::fma(a, b, c); }

inline constexpr auto kMultiply = []<typename T>(T x, T y) -> T {
  if constexpr (golden::kIsPredicateStorage<T>)
    return T(x && y);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<Wrapping<T>>(x) * static_cast<Wrapping<T>>(y));
  else if constexpr (golden::kIsComplexStorage<T>)
    return {multiplyAdd(x.real(), y.real(), -(x.imag() * y.imag())),
            multiplyAdd(x.real(), y.imag(), x.imag() * y.real())};
  else
    return x * y;
};

// Integers of up to 32 bits in double: processors have no division of several integers at a time.
// A quotient that is no integer lies at least 1 / y from one, and is at most 2^32 / y: a double's
// 53 bits keep it on its side.
template <typename T>
T quotient(T x, T y) {
  if constexpr (sizeof(T) <= 4)
    return static_cast<T>(static_cast<double>(x) / static_cast<double>(y));
  else
    return x / y;
}

// x / 0 is -1 or all ones, and the smallest integer / -1 is itself, as XLA has it.
inline constexpr auto kDivide = []<typename T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>) {
    const bool byMinusOne = std::is_signed_v<T> && y == static_cast<T>(-1);
    const T found = quotient(x, y == 0 || byMinusOne ? T{1} : y);
    return y == 0 ? static_cast<T>(-1) : byMinusOne ? kSubtract(T{0}, found) : found;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return wideComplex(x, [&](std::complex<double> z) { return z / std::complex<double>(y); });
  } else {
    return x / y;
  }
};

inline constexpr auto kRemainder = []<typename T>(T x, T y) -> T {
  if constexpr (std::is_integral_v<T>) {
    const bool byMinusOne = std::is_signed_v<T> && y == static_cast<T>(-1);
    const T divisor = y == 0 || byMinusOne ? T{1} : y;
    const T rest = kSubtract(x, kMultiply(quotient(x, divisor), divisor));
    return y == 0 ? x : rest;
  } else {
    return std::fmod(x, y);
  }
};

template <typename T>
bool precedes(std::complex<T> x, std::complex<T> y) {
  return x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag());
}

// NaN wins over every number, and 0 over -0.
inline constexpr auto kMaximum = []<typename T>(T x, T y) -> T {
  if constexpr (golden::kIsPredicateStorage<T>)
    return T(x || y);
  else if constexpr (golden::kIsComplexStorage<T>)
    return precedes(x, y) || y != y ? y : x;
  else if constexpr (std::is_floating_point_v<T>) {
    if (x == y) return std::signbit(x) ? y : x;
    return x > y || x != x ? x : y;
  } else
    return x > y ? x : y;
};

inline constexpr auto kMinimum = []<typename T>(T x, T y) -> T {
  if constexpr (golden::kIsPredicateStorage<T>)
    return T(x && y);
  else if constexpr (golden::kIsComplexStorage<T>)
    return precedes(y, x) || y != y ? y : x;
  else if constexpr (std::is_floating_point_v<T>) {
    if (x == y) return std::signbit(x) ? x : y;
    return x < y || x != x ? x : y;
  } else
    return x < y ? x : y;
};

// An integer that orders floats totally: -NaN < -inf < … < -0 < 0 < … < inf < NaN.
template <typename T>
auto totalOrderKey(T value) {
  if constexpr (golden::kIsNarrowFloat<T>) {
    const int32_t magnitude = value.bits() & ~T::kSignBit;
    return (value.bits() & T::kSignBit) ? ~magnitude : magnitude;
  } else {
    using Bits = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
    const auto bits = std::bit_cast<Bits>(value);
    return bits < 0 ? static_cast<Bits>(bits ^ std::numeric_limits<Bits>::max()) : bits;
  }
}

// One that orders them weakly, as NumPy sorts: -inf < … < -0 = 0 < … < inf < NaN, all NaN alike.
template <typename T>
auto weakOrderKey(T value) {
  using Key = decltype(totalOrderKey(value));
  if constexpr (golden::kIsNarrowFloat<T>) {
    const auto wide = static_cast<float>(value);
    if (std::isnan(wide)) return std::numeric_limits<Key>::max();
    if (wide == 0) return Key{0};
  } else {
    if (std::isnan(value)) return std::numeric_limits<Key>::max();
    if (value == 0) return Key{0};
  }
  return totalOrderKey(value);
}

// How `compare_type` orders floats; integers have one order.
enum class FloatOrder { kPartial, kTotal, kWeak };
inline FloatOrder floatOrder(std::string_view compareType) {
  return compareType == "TOTALORDER"  ? FloatOrder::kTotal
         : compareType == "WEAKORDER" ? FloatOrder::kWeak
                                      : FloatOrder::kPartial;
}

inline constexpr auto kAnd = []<typename T>(T x, T y) -> T {
  if constexpr (golden::kIsPredicateStorage<T>)
    return T(x && y);
  else
    return static_cast<T>(x & y);
};
inline constexpr auto kOr = []<typename T>(T x, T y) -> T {
  if constexpr (golden::kIsPredicateStorage<T>)
    return T(x || y);
  else
    return static_cast<T>(x | y);
};
inline constexpr auto kXor = []<typename T>(T x, T y) -> T {
  if constexpr (golden::kIsPredicateStorage<T>)
    return T(x != y);
  else
    return static_cast<T>(x ^ y);
};

}  // namespace vintage::harness
