// The conversions of float_formats.h; include that one.
#pragma once

#include "golden/tensor/float_formats.h"

namespace vintage::golden {

template <int kExponent, int kMantissa, int kExponentBias, SpecialValues kSpecial>
constexpr auto NarrowFloat<kExponent, kMantissa, kExponentBias, kSpecial>::encode(double value)
    -> Bits {
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
  const Bits overflow = kSpecial == SpecialValues::kIeee   ? static_cast<Bits>(sign | kInfinityCode)
                        : kSpecial == SpecialValues::kNone ? static_cast<Bits>(sign | kLargestCode)
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
  constexpr int kSmallestExponent =
      kSpecial == SpecialValues::kPowersOfTwo ? -kBias : 1 - kBias;
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
  const int64_t code =
      (static_cast<int64_t>(unitExponent + kBias - 1) << kMantissaBits) + static_cast<int64_t>(units);
  if (code > kLargestCode) return overflow;
  return code == 0 ? nothing : static_cast<Bits>(sign | static_cast<Bits>(code));
}

template <int kExponent, int kMantissa, int kExponentBias, SpecialValues kSpecial>
constexpr auto NarrowFloat<kExponent, kMantissa, kExponentBias, kSpecial>::encodeFloat(
    float value) -> Bits {
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

template <int kExponent, int kMantissa, int kExponentBias, SpecialValues kSpecial>
constexpr float NarrowFloat<kExponent, kMantissa, kExponentBias, kSpecial>::decode(Bits bits) {
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
constexpr NarrowFloat<kExponent, kMantissa, kExponentBias, kSpecial>::operator float() const {
  if constexpr (kBits <= 8)
    return kDecoded<NarrowFloat>[bits()];
  else
    return decode(bits_);
}

template <int kExponent, int kMantissa, int kExponentBias, SpecialValues kSpecial>
constexpr bool NarrowFloat<kExponent, kMantissa, kExponentBias, kSpecial>::isNan() const {
  switch (kSpecial) {
    case SpecialValues::kIeee: return magnitude() > kInfinityCode;
    case SpecialValues::kNanOnly:
    case SpecialValues::kPowersOfTwo: return magnitude() == kNanCode;
    case SpecialValues::kUnsignedZero: return bits() == kSignBit;
    case SpecialValues::kNone: return false;
  }
  return false;
}

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
