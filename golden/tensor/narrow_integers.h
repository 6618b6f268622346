// Storage types for predicates and for integers of 2 and 4 bits, one byte each.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace vintage::golden {

// A byte that is 0 or 1. Any other byte reads as true, where reading it through
// `bool` would be undefined.
class Predicate {
 public:
  constexpr Predicate() = default;
  constexpr Predicate(bool value) : byte_(value ? 1 : 0) {}
  constexpr operator bool() const { return byte_ != 0; }

 private:
  uint8_t byte_ = 0;
};

// Behaves like int8_t does: arithmetic promotes to int, and storing wraps
// around. Kept sign- or zero-extended; the upper bits of a byte that came from
// outside are ignored when it is read.
template <int kBits, bool kSigned>
class NarrowInteger {
 public:
  using Byte = std::conditional_t<kSigned, int8_t, uint8_t>;

  constexpr NarrowInteger() = default;
  constexpr NarrowInteger(int64_t value) : byte_(wrap(value)) {}
  constexpr operator Byte() const { return wrap(byte_); }

  static constexpr Byte wrap(int64_t value) {
    constexpr int kSpare = 8 - kBits;
    // Shifted up to drop what does not fit and back down to extend the sign.
    const auto raised = static_cast<Byte>(static_cast<uint8_t>(value) << kSpare);
    return static_cast<Byte>(raised >> kSpare);
  }

 private:
  Byte byte_ = 0;
};

using Int2 = NarrowInteger<2, true>;
using Int4 = NarrowInteger<4, true>;
using Uint2 = NarrowInteger<2, false>;
using Uint4 = NarrowInteger<4, false>;

}  // namespace vintage::golden

template <int kBits, bool kSigned>
struct std::numeric_limits<vintage::golden::NarrowInteger<kBits, kSigned>> {
  using T = vintage::golden::NarrowInteger<kBits, kSigned>;
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = kSigned;
  static constexpr bool is_integer = true;
  static constexpr bool is_exact = true;
  static constexpr bool has_infinity = false;
  static constexpr bool has_quiet_NaN = false;
  static constexpr int radix = 2;
  static constexpr int digits = kBits - (kSigned ? 1 : 0);
  static constexpr T min() { return T(kSigned ? -(1 << digits) : 0); }
  static constexpr T lowest() { return min(); }
  static constexpr T max() { return T((1 << digits) - 1); }
};
