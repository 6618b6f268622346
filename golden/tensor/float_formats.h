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
// Rounding gives beyond the largest finite value:
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

// The meaning of the codes that IEEE 754 would use for infinity and NaN.
enum class SpecialValues : uint8_t {
  kIeee,          // The highest exponent holds infinity and NaN.
  kNanOnly,       // Only all ones is NaN; no infinity.
  kNone,          // Every code is a finite number.
  kUnsignedZero,  // FNUZ: the code of -0 is the only NaN.
  kPowersOfTwo,   // E8M0: no sign, no zero; all ones is NaN.
};

// A table of every value, by its code, for formats of up to 8 bits.
template <typename Format>
inline constexpr std::array<float, (Format::kBits <= 8 ? std::size_t{1} << Format::kBits : 1)>
    kDecoded = [] {
      std::array<float, (Format::kBits <= 8 ? std::size_t{1} << Format::kBits : 1)> values{};
      for (std::size_t code = 0; code < values.size(); ++code)
        values[code] = Format::decode(static_cast<typename Format::Bits>(code));
      return values;
    }();

template <int kExponent, int kMantissa, int kExponentBias, SpecialValues kSpecial>
class NarrowFloat {
 public:
  static constexpr int kExponentBits = kExponent;
  static constexpr int kMantissaBits = kMantissa;
  static constexpr int kBias = kExponentBias;
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

  constexpr explicit operator float() const {
    if constexpr (kBits <= 8)
      return kDecoded<NarrowFloat>[bits()];
    else
      return decode(bits_);
  }
  constexpr explicit operator double() const { return static_cast<float>(*this); }
  template <std::integral T>
  constexpr explicit operator T() const {
    return static_cast<T>(static_cast<float>(*this));
  }

  constexpr bool isNan() const {
    switch (kSpecial) {
      case SpecialValues::kIeee:
        return magnitude() > kInfinityCode;
      case SpecialValues::kNanOnly:
      case SpecialValues::kPowersOfTwo:
        return magnitude() == kNanCode;
      case SpecialValues::kUnsignedZero:
        return bits() == kSignBit;
      case SpecialValues::kNone:
        return false;
    }
    return false;
  }
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

  static constexpr Bits encode(double value) {
    const uint64_t wide = std::bit_cast<uint64_t>(value);
    const bool negative = wide >> 63;
    const int wideExponent = static_cast<int>(wide >> 52 & 0x7FF);
    const uint64_t fraction = wide & ((uint64_t{1} << 52) - 1);
    const Bits sign = negative ? kSignBit : Bits{0};
    constexpr Bits kNan = kNanCode;
    constexpr bool kOneNan = kSpecial == SpecialValues::kUnsignedZero ||
                             kSpecial == SpecialValues::kPowersOfTwo ||
                             kSpecial == SpecialValues::kNone;
    const Bits nan = kOneNan ? kNan : static_cast<Bits>(sign | kNan);
    const Bits overflow = kSpecial == SpecialValues::kIeee ? static_cast<Bits>(sign | kInfinityCode)
                          : kSpecial == SpecialValues::kNone
                              ? static_cast<Bits>(sign | kLargestCode)
                              : nan;
    if (wideExponent == 0x7FF) return fraction != 0 ? nan : overflow;
    const bool zero = wideExponent == 0 && fraction == 0;
    if constexpr (kSpecial == SpecialValues::kPowersOfTwo) {
      if (zero || negative) return nan;
      if (wideExponent < 1023 - kBias) return 0;
    }
    const Bits nothing = kSpecial == SpecialValues::kUnsignedZero ? Bits{0} : sign;
    // A subnormal double is far below half of any format's smallest number.
    if (wideExponent == 0) return nothing;

    // In units of the target's spacing, at the value's own exponent or, below
    // the normal numbers, at the smallest one.
    constexpr int kSmallestExponent = kSpecial == SpecialValues::kPowersOfTwo ? -kBias : 1 - kBias;
    const int exponent = wideExponent - 1023;
    const int unitExponent = exponent < kSmallestExponent ? kSmallestExponent : exponent;
    const int dropped = 52 - kMantissaBits + (unitExponent - exponent);
    if (dropped > 53) return nothing;  // Less than half of the smallest number.
    const uint64_t significand = fraction | uint64_t{1} << 52;
    uint64_t units = significand >> dropped;
    const uint64_t rest = significand & ((uint64_t{1} << dropped) - 1);
    const uint64_t half = uint64_t{1} << (dropped - 1);
    if (rest > half || (rest == half && (units & 1))) ++units;
    // The implicit bit in `units` adds one to the exponent field, and a carry out
    // of the rounding one more.
    const int64_t code = (static_cast<int64_t>(unitExponent + kBias - 1) << kMantissaBits) +
                         static_cast<int64_t>(units);
    if (code > kLargestCode) return overflow;
    return code == 0 ? nothing : static_cast<Bits>(sign | static_cast<Bits>(code));
  }

  static constexpr Bits encodeFloat(float value) {
    if constexpr (kExponent == 8 && kMantissa == 7) {
      // bf16 is the upper half of a float.
      const uint32_t wide = std::bit_cast<uint32_t>(value);
      if ((wide & 0x7FFFFFFF) > 0x7F800000)
        return static_cast<Bits>((wide >> 16 & kSignBit) | kNanCode);
      return static_cast<Bits>((wide + 0x7FFF + (wide >> 16 & 1)) >> 16);
    } else if constexpr (kSpecial == SpecialValues::kPowersOfTwo) {
      return encode(value);
    } else {
      // Ordinary numbers by integer arithmetic on the float's own bits; encode()
      // has the rest.
      const uint32_t wide = std::bit_cast<uint32_t>(value);
      const uint32_t magnitude = wide & 0x7FFFFFFF;
      constexpr uint32_t kSmallestNormal = static_cast<uint32_t>(127 + 1 - kBias) << 23;
      constexpr uint32_t kDropped = 23 - kMantissaBits;
      uint32_t code = 0;
      if (magnitude >= kSmallestNormal) {
        // Rounding carries into the exponent by itself.
        const uint32_t rounded =
            magnitude + ((1u << (kDropped - 1)) - 1) + (magnitude >> kDropped & 1);
        code = (rounded >> kDropped) - (static_cast<uint32_t>(127 - kBias) << kMantissaBits);
        if (magnitude >= 0x7F800000 || code > kLargestCode) return encode(value);
      } else {
        // Adding a number whose spacing is the smallest subnormal rounds to it.
        constexpr uint32_t kRounder = static_cast<uint32_t>(127 + 1 - kBias - kMantissaBits + 23)
                                      << 23;
        code = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) +
                                       std::bit_cast<float>(kRounder)) -
               kRounder;
      }
      if (kSpecial == SpecialValues::kUnsignedZero && code == 0) return 0;
      return static_cast<Bits>((wide >> 31 ? kSignBit : Bits{0}) | code);
    }
  }

  static constexpr float decode(Bits bits) {
    bits &= kCodes;
    if constexpr (kExponent == 8 && kMantissa == 7)
      return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
    const uint32_t sign = (bits & kSignBit) ? 0x80000000u : 0;
    const Bits code = bits & static_cast<Bits>(~kSignBit);
    constexpr uint32_t kQuietNan = 0x7FC00000;
    if constexpr (kSpecial == SpecialValues::kIeee) {
      if (code > kInfinityCode) return std::bit_cast<float>(sign | kQuietNan);
      if (code == kInfinityCode) return std::bit_cast<float>(sign | 0x7F800000u);
    } else if constexpr (kSpecial == SpecialValues::kUnsignedZero) {
      if (bits == kSignBit) return std::bit_cast<float>(kQuietNan);
    } else if constexpr (kSpecial != SpecialValues::kNone) {
      if (code == kNanCode) return std::bit_cast<float>(sign | kQuietNan);
    }
    const int field = code >> kMantissaBits;
    uint32_t fraction = code & ((1u << kMantissaBits) - 1);
    int exponent = field - kBias;
    if constexpr (kSpecial == SpecialValues::kPowersOfTwo) {
      // 2^-127 is a subnormal float.
      return std::bit_cast<float>(field == 0 ? 0x00400000u : static_cast<uint32_t>(field) << 23);
    } else if (field == 0) {
      if (fraction == 0) return std::bit_cast<float>(sign);
      // Normalize: the leading bit becomes implicit.
      const int shift = std::countl_zero(fraction) - (31 - kMantissaBits);
      fraction = (fraction << shift) & ((1u << kMantissaBits) - 1);
      exponent = 1 - kBias - shift;
    }
    return std::bit_cast<float>(sign | static_cast<uint32_t>(exponent + 127) << 23 |
                                fraction << (23 - kMantissaBits));
  }

 private:
  // Collects the bits of a large integer that a double cannot hold in its last bit (rounding to
  // odd), so that encode() still rounds once.
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

template <int kExponent, int kMantissa, int kBias, vintage::golden::SpecialValues kSpecial>
struct std::numeric_limits<vintage::golden::NarrowFloat<kExponent, kMantissa, kBias, kSpecial>> {
  using T = vintage::golden::NarrowFloat<kExponent, kMantissa, kBias, kSpecial>;
  static constexpr bool is_specialized = true;
  static constexpr bool is_signed = T::kSigned;
  static constexpr bool is_integer = false;
  static constexpr bool is_exact = false;
  static constexpr bool has_infinity = T::kHasInfinity;
  static constexpr bool has_quiet_NaN = T::kHasNan;
  static constexpr int radix = 2;
  static constexpr int digits = kMantissa + 1;
  // In the manner of the standard: one more than the exponent of min() and max().
  static constexpr int min_exponent =
      kSpecial == vintage::golden::SpecialValues::kPowersOfTwo ? 1 - kBias : 2 - kBias;
  static constexpr int max_exponent = (T::kLargestCode >> kMantissa) - kBias + 1;
  static constexpr T min() {
    return T::fromBits(kSpecial == vintage::golden::SpecialValues::kPowersOfTwo ? 0
                                                                                : 1 << kMantissa);
  }
  static constexpr T max() { return T::fromBits(T::kLargestCode); }
  static constexpr T lowest() {
    return T::fromBits(T::kSigned ? T::kSignBit | T::kLargestCode : 0);
  }
  static constexpr T denorm_min() { return T::fromBits(T::kMantissaBits == 0 ? 0 : 1); }
  // max() in formats without infinity, NaN in those with NaN alone: as
  // conversion of an infinity gives.
  static constexpr T infinity() { return T(std::numeric_limits<float>::infinity()); }
  static constexpr T quiet_NaN() { return T::fromBits(T::kNanCode); }
  // The distance from 1 to the next number.
  static constexpr T epsilon() {
    double distance = 1;
    for (int i = 0; i < kMantissa; ++i) distance /= 2;
    return T(distance);
  }
};
