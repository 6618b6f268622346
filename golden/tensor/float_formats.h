// Storage types for the floats that C++ does not have: bf16, f16 and the
// formats of 8, 6 and 4 bits.
//
// Each holds the bit pattern in an unsigned integer of byteWidth bytes, so that
// a Tensor's buffer can be read as an array of them (Tensor::values<BFloat16>).
// Conversion to float and double is exact. Conversion from float and double
// rounds once, to nearest, ties to even, subnormals included. Arithmetic goes
// through float and rounds its result: for + - * / and square root that is the
// correctly rounded answer in each of these formats (float has more than twice
// their precision).
//
// Conversions in both directions are explicit, so that precision is never lost
// or gained by accident; arithmetic and comparison take two values of one type.
//
// What happens beyond the largest finite value, after rounding:
//   IEEE-like (f16, bf16, e5m2, e4m3, e3m4)   infinity
//   finite with NaN (e4m3fn), FNUZ            NaN
//   finite only (e2m1fn, e2m3fn, e3m2fn)      the largest value of that sign,
//                                             infinity too; NaN becomes -0
//   e8m0fnu (powers of two, no sign, no zero) NaN; so do 0, negatives and
//                                             infinity. Below 2^-127: 2^-127.
// FNUZ formats have one zero and one NaN (the code of -0). Every NaN that is
// written is quiet and keeps its sign where the format can.
//
// Sources: OCP 8-bit floating point specification 1.0; OCP microscaling formats
// 1.0; "8-bit numerical formats for deep neural networks" (FNUZ); the README of
// ml_dtypes, whose conversions these agree with.
#pragma once

#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace vintage::golden {

// What the codes that IEEE 754 would give to infinity and NaN mean.
enum class SpecialValues : uint8_t {
  kIeee,        // The highest exponent holds infinity and NaN.
  kNanOnly,     // Only all ones is NaN; no infinity.
  kNone,        // Every code is a finite number.
  kUnsignedZero,  // FNUZ: the code of -0 is the only NaN.
  kPowersOfTwo,   // E8M0: no sign, no zero; all ones is NaN.
};

template <int kExponent, int kMantissa, int kExponentBias, SpecialValues kSpecial>
class NarrowFloat {
 public:
  static constexpr int kExponentBits = kExponent;
  static constexpr int kMantissaBits = kMantissa;
  static constexpr int kBias = kExponentBias;
  static constexpr SpecialValues kSpecialValues = kSpecial;
  static constexpr bool kSigned = kSpecial != SpecialValues::kPowersOfTwo;
  static constexpr int kBits = kExponentBits + kMantissaBits + (kSigned ? 1 : 0);
  static constexpr bool kHasInfinity = kSpecial == SpecialValues::kIeee;
  static constexpr bool kHasNan = kSpecial != SpecialValues::kNone;
  using Bits = std::conditional_t<(kBits > 8), uint16_t, uint8_t>;

  constexpr NarrowFloat() = default;
  constexpr explicit NarrowFloat(double value) : bits_(encode(value)) {}
  template <std::integral T>
  constexpr explicit NarrowFloat(T value) : bits_(encode(toOdd(value))) {}
  constexpr explicit NarrowFloat(float value) : bits_(encodeFloat(value)) {}
  template <typename T>
    requires(requires { T::kMantissaBits; } && !std::same_as<T, NarrowFloat>)
  constexpr explicit NarrowFloat(T value) : NarrowFloat(static_cast<float>(value)) {}

  static constexpr NarrowFloat fromBits(Bits bits) {
    NarrowFloat value;
    value.bits_ = bits & kCodes;
    return value;
  }
  constexpr Bits bits() const { return bits_ & kCodes; }

  constexpr explicit operator float() const;
  constexpr explicit operator double() const { return static_cast<float>(*this); }
  template <std::integral T>
  constexpr explicit operator T() const {
    return static_cast<T>(static_cast<float>(*this));
  }

  constexpr bool isNan() const;
  constexpr bool isInfinite() const { return kHasInfinity && magnitude() == kInfinityCode; }
  constexpr bool isFinite() const { return !isNan() && !isInfinite(); }
  constexpr bool isNegative() const { return kSigned && (bits_ & kSignBit) && !fnuzNan(); }

  friend constexpr NarrowFloat operator+(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(static_cast<float>(a) + static_cast<float>(b));
  }
  friend constexpr NarrowFloat operator-(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(static_cast<float>(a) - static_cast<float>(b));
  }
  friend constexpr NarrowFloat operator*(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(static_cast<float>(a) * static_cast<float>(b));
  }
  friend constexpr NarrowFloat operator/(NarrowFloat a, NarrowFloat b) {
    return NarrowFloat(static_cast<float>(a) / static_cast<float>(b));
  }
  friend constexpr NarrowFloat operator-(NarrowFloat a) {
    return NarrowFloat(-static_cast<float>(a));
  }
  constexpr NarrowFloat& operator+=(NarrowFloat other) { return *this = *this + other; }
  constexpr NarrowFloat& operator-=(NarrowFloat other) { return *this = *this - other; }
  constexpr NarrowFloat& operator*=(NarrowFloat other) { return *this = *this * other; }
  constexpr NarrowFloat& operator/=(NarrowFloat other) { return *this = *this / other; }
  // As numbers: -0 equals 0, NaN equals nothing.
  friend constexpr bool operator==(NarrowFloat a, NarrowFloat b) {
    return static_cast<float>(a) == static_cast<float>(b);
  }
  friend constexpr std::partial_ordering operator<=>(NarrowFloat a, NarrowFloat b) {
    return static_cast<float>(a) <=> static_cast<float>(b);
  }

  // Codes without the sign.
  static constexpr Bits kCodes = static_cast<Bits>((1u << kBits) - 1);
  static constexpr Bits kSignBit = kSigned ? static_cast<Bits>(1u << (kBits - 1)) : Bits{0};
  static constexpr Bits kInfinityCode =
      static_cast<Bits>(((1u << kExponentBits) - 1) << kMantissaBits);
  static constexpr Bits kNanCode =
      kSpecial == SpecialValues::kIeee ? Bits(kInfinityCode | (1u << (kMantissaBits - 1)))
      : kSpecial == SpecialValues::kNanOnly || kSpecial == SpecialValues::kPowersOfTwo
          ? Bits(kCodes & ~kSignBit)
          : kSignBit;  // FNUZ's NaN; -0 where there is none.
  static constexpr Bits kLargestCode =
      kSpecial == SpecialValues::kIeee ? Bits(kInfinityCode - 1)
      : kSpecial == SpecialValues::kNanOnly || kSpecial == SpecialValues::kPowersOfTwo
          ? Bits(kNanCode - 1)
          : Bits(kCodes & ~kSignBit);

  static constexpr Bits encode(double value);
  static constexpr Bits encodeFloat(float value);
  static constexpr float decode(Bits bits);

 private:
  // What a double cannot hold of a large integer is gathered in its last bit,
  // so that encode() still rounds once.
  template <std::integral T>
  static constexpr double toOdd(T value) {
    uint64_t magnitude = value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    constexpr uint64_t kLost = (1 << 11) - 1;
    if (magnitude >> 53)
      magnitude = (magnitude & ~kLost) | ((magnitude & kLost) != 0 ? kLost + 1 : 0);
    return value < 0 ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
  }
  constexpr Bits magnitude() const { return bits_ & kCodes & ~kSignBit; }
  constexpr bool fnuzNan() const {
    return kSpecial == SpecialValues::kUnsignedZero && bits() == kSignBit;
  }

  Bits bits_ = 0;
};

using BFloat16 = NarrowFloat<8, 7, 127, SpecialValues::kIeee>;
using Float16 = NarrowFloat<5, 10, 15, SpecialValues::kIeee>;
using Float8E3M4 = NarrowFloat<3, 4, 3, SpecialValues::kIeee>;
using Float8E4M3 = NarrowFloat<4, 3, 7, SpecialValues::kIeee>;
using Float8E5M2 = NarrowFloat<5, 2, 15, SpecialValues::kIeee>;
using Float8E4M3FN = NarrowFloat<4, 3, 7, SpecialValues::kNanOnly>;
using Float8E4M3B11FNUZ = NarrowFloat<4, 3, 11, SpecialValues::kUnsignedZero>;
using Float8E4M3FNUZ = NarrowFloat<4, 3, 8, SpecialValues::kUnsignedZero>;
using Float8E5M2FNUZ = NarrowFloat<5, 2, 16, SpecialValues::kUnsignedZero>;
using Float8E8M0FNU = NarrowFloat<8, 0, 127, SpecialValues::kPowersOfTwo>;
using Float4E2M1FN = NarrowFloat<2, 1, 1, SpecialValues::kNone>;
using Float6E2M3FN = NarrowFloat<2, 3, 1, SpecialValues::kNone>;
using Float6E3M2FN = NarrowFloat<3, 2, 3, SpecialValues::kNone>;

template <typename T>
inline constexpr bool kIsNarrowFloat = false;
template <int kExponent, int kMantissa, int kBias, SpecialValues kSpecial>
inline constexpr bool kIsNarrowFloat<NarrowFloat<kExponent, kMantissa, kBias, kSpecial>> = true;

}  // namespace vintage::golden

#include "golden/tensor/float_formats_inline.h"
