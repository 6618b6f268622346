// Distances between floats in units in the last place: how many numbers of the
// type lie between two, plus one. -0 and 0 are the same number.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

#include "golden/tensor/tensor.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {

// The distance between a NaN or an infinity and any value that does not equal it; also stands for
// distances that do not fit.
inline constexpr int64_t kFarApart = std::numeric_limits<int64_t>::max();

// NaN is at distance 0 from NaN.
template <typename T>
  requires kIsFloatStorage<T>
constexpr int64_t ulpDistance(T a, T b) {
  if constexpr (kIsNarrowFloat<T>) {
    if (a.isNan() || b.isNan()) return a.isNan() && b.isNan() ? 0 : kFarApart;
    if (a.isInfinite() || b.isInfinite()) return a.bits() == b.bits() ? 0 : kFarApart;
    const auto order = [](T value) -> int64_t {
      const int64_t magnitude = value.bits() & ~T::kSignBit;
      return value.isNegative() ? -magnitude : magnitude;
    };
    const int64_t difference = order(a) - order(b);
    return difference < 0 ? -difference : difference;
  } else {
    if (a != a || b != b) return a != a && b != b ? 0 : kFarApart;
    if (a == b) return 0;
    constexpr T kLargest = std::numeric_limits<T>::max();
    if (a > kLargest || a < -kLargest || b > kLargest || b < -kLargest) return kFarApart;
    const auto order = [](T value) -> int64_t {
      if constexpr (sizeof(T) == 4) {
        const auto bits = std::bit_cast<uint32_t>(value);
        const auto magnitude = static_cast<int64_t>(bits & 0x7FFFFFFF);
        return bits >> 31 ? -magnitude : magnitude;
      } else {
        const auto bits = std::bit_cast<uint64_t>(value);
        const auto magnitude = static_cast<int64_t>(bits & 0x7FFFFFFFFFFFFFFF);
        return bits >> 63 ? -magnitude : magnitude;
      }
    };
    int64_t difference = 0;
    if (__builtin_sub_overflow(order(a), order(b), &difference) ||
        difference == std::numeric_limits<int64_t>::min())
      return kFarApart;
    return difference < 0 ? -difference : difference;
  }
}

// Between elements of two tensors of one float or complex type; for a complex number the larger
// distance of its parts. Both indices must exist.
inline int64_t ulpDistance(const Tensor& a, int64_t indexOfA, const Tensor& b, int64_t indexOfB) {
  return visitElementType(a.type(), [&]<typename T>() -> int64_t {
    const T x = a.values<T>()[static_cast<size_t>(indexOfA)];
    const T y = b.values<T>()[static_cast<size_t>(indexOfB)];
    if constexpr (kIsComplexStorage<T>)
      return std::max(ulpDistance(x.real(), y.real()), ulpDistance(x.imag(), y.imag()));
    else if constexpr (kIsFloatStorage<T>)
      return ulpDistance(x, y);
    else
      return x == y ? 0 : kFarApart;
  });
}

}  // namespace vintage::golden
