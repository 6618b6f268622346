// The narrow floats, compared with their definition: every code's value is computed from sign,
// exponent and mantissa in long double, and a conversion must give the nearest of all values, found
// by search.
#include "golden/tensor/float_formats.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <mpfr.h>

#include "golden/tensor/visit.h"

namespace vintage::tests {
using namespace golden;

namespace {

struct Code {
  long double value;
  unsigned bits;
};

// Values of all finite, not negative codes, in order. Written from the formats'
// tables, not from the implementation.
struct Definition {
  int exponentBits, mantissaBits, bias;
  enum { kIeee, kFn, kFinite, kFnuz, kScale } kind;
};

std::vector<Code> codes(const Definition& d) {
  const unsigned magnitudes = 1u << (d.exponentBits + d.mantissaBits);
  std::vector<Code> all;
  for (unsigned code = 0; code < magnitudes; ++code) {
    const unsigned field = code >> d.mantissaBits, mantissa = code % (1u << d.mantissaBits);
    const unsigned allOnes = (1u << d.exponentBits) - 1;
    if (d.kind == Definition::kIeee && field == allOnes) continue;
    if ((d.kind == Definition::kFn || d.kind == Definition::kScale) && code == magnitudes - 1)
      continue;
    const long double fraction = std::ldexp(static_cast<long double>(mantissa), -d.mantissaBits);
    long double value = 0;
    if (d.kind == Definition::kScale)
      value = std::ldexp(1.0L, static_cast<int>(field) - d.bias);
    else if (field == 0)
      value = std::ldexp(fraction, 1 - d.bias);
    else
      value = std::ldexp(1 + fraction, static_cast<int>(field) - d.bias);
    all.push_back({value, code});
  }
  return all;
}

template <typename T>
struct DefinitionOf;
#define VINTAGE_DEFINE(TYPE, ...)                            \
  template <>                                                \
  struct DefinitionOf<TYPE> {                                \
    static constexpr Definition kDefinition = {__VA_ARGS__}; \
  };
VINTAGE_DEFINE(BFloat16, 8, 7, 127, Definition::kIeee)
VINTAGE_DEFINE(Float16, 5, 10, 15, Definition::kIeee)
VINTAGE_DEFINE(Float8E3M4, 3, 4, 3, Definition::kIeee)
VINTAGE_DEFINE(Float8E4M3, 4, 3, 7, Definition::kIeee)
VINTAGE_DEFINE(Float8E5M2, 5, 2, 15, Definition::kIeee)
VINTAGE_DEFINE(Float8E4M3FN, 4, 3, 7, Definition::kFn)
VINTAGE_DEFINE(Float8E4M3B11FNUZ, 4, 3, 11, Definition::kFnuz)
VINTAGE_DEFINE(Float8E4M3FNUZ, 4, 3, 8, Definition::kFnuz)
VINTAGE_DEFINE(Float8E5M2FNUZ, 5, 2, 16, Definition::kFnuz)
VINTAGE_DEFINE(Float8E8M0FNU, 8, 0, 127, Definition::kScale)
VINTAGE_DEFINE(Float4E2M1FN, 2, 1, 1, Definition::kFinite)
VINTAGE_DEFINE(Float6E2M3FN, 2, 3, 1, Definition::kFinite)
VINTAGE_DEFINE(Float6E3M2FN, 3, 2, 3, Definition::kFinite)

// The code of a finite number of any size, by search among neighbours. None: it is beyond the
// largest by more than half a step, where the format's own rule for overflow applies.
std::optional<unsigned> nearest(const std::vector<Code>& all, const Definition& d,
                                long double magnitude) {
  const auto above = std::ranges::lower_bound(all, magnitude, {}, &Code::value);
  if (above == all.begin()) return above->bits;
  const Code& below = *(above - 1);
  // The next step after the largest value counts for rounding.
  const long double last = all.back().value;
  const long double step = d.kind == Definition::kScale ? last : last - all[all.size() - 2].value;
  const Code next = above == all.end() ? Code{last + step, all.back().bits + 1} : *above;
  const long double down = magnitude - below.value, up = next.value - magnitude;
  // A tie goes to the even mantissa; a power of two (E8M0) has the odd
  // mantissa 1, the next one, as 10, the even one.
  const bool upwards =
      down > up || (down == up && (d.kind == Definition::kScale || below.bits % 2));
  if (!upwards) return below.bits;
  if (above == all.end()) return std::nullopt;
  return next.bits;
}

template <typename T>
class FloatFormat : public testing::Test {};
using Formats = testing::Types<BFloat16, Float16, Float8E3M4, Float8E4M3, Float8E5M2, Float8E4M3FN,
                               Float8E4M3B11FNUZ, Float8E4M3FNUZ, Float8E5M2FNUZ, Float8E8M0FNU,
                               Float4E2M1FN, Float6E2M3FN, Float6E3M2FN>;
TYPED_TEST_SUITE(FloatFormat, Formats);

TYPED_TEST(FloatFormat, EveryCodeHasItsValue) {
  const Definition& d = DefinitionOf<TypeParam>::kDefinition;
  std::vector<bool> finite(size_t{1} << TypeParam::kBits);
  const bool hasSign = d.kind != Definition::kScale;
  for (const Code& code : codes(d)) {
    for (int sign = 0; sign < (hasSign ? 2 : 1); ++sign) {
      if (sign && code.bits == 0 && d.kind == Definition::kFnuz) continue;
      const unsigned bits = code.bits | static_cast<unsigned>(sign) << (TypeParam::kBits - 1);
      const auto value = TypeParam::fromBits(static_cast<typename TypeParam::Bits>(bits));
      const long double expected = sign ? -code.value : code.value;
      EXPECT_EQ(static_cast<long double>(static_cast<float>(value)), expected) << bits;
      EXPECT_EQ(std::signbit(static_cast<float>(value)), sign == 1) << bits;
      EXPECT_TRUE(value.isFinite());
      EXPECT_EQ(TypeParam(static_cast<float>(value)).bits(), bits);
      EXPECT_EQ(TypeParam(static_cast<double>(value)).bits(), bits);
      finite[bits] = true;
    }
  }
  // The others are NaN, or in IEEE-like formats infinity.
  for (unsigned bits = 0; bits < finite.size(); ++bits) {
    if (finite[bits]) continue;
    const auto value = TypeParam::fromBits(static_cast<typename TypeParam::Bits>(bits));
    EXPECT_FALSE(value.isFinite());
    const bool infinite = d.kind == Definition::kIeee && bits % (1u << d.mantissaBits) == 0;
    EXPECT_EQ(std::isinf(static_cast<float>(value)), infinite) << bits;
    EXPECT_EQ(std::isnan(static_cast<float>(value)), !infinite) << bits;
    EXPECT_EQ(value.isNan(), !infinite);
    if (value.isNan())
      EXPECT_TRUE(TypeParam(static_cast<float>(value)).isNan());
    else
      EXPECT_EQ(TypeParam(static_cast<float>(value)).bits(), bits);
  }
}

template <typename T>
void expectRounded(const std::vector<Code>& all, double value, T converted) {
  const Definition& d = DefinitionOf<T>::kDefinition;
  const bool negative = std::signbit(value);
  const std::string place = fmt::format("{} = {:a}", value, value);
  if (d.kind == Definition::kScale && (negative || value == 0)) {
    EXPECT_TRUE(converted.isNan()) << place;
    return;
  }
  const std::optional<unsigned> expected =
      nearest(all, d, std::abs(static_cast<long double>(value)));
  if (!expected) {
    if (d.kind == Definition::kIeee)
      EXPECT_EQ(static_cast<float>(converted), negative ? -HUGE_VALF : HUGE_VALF) << place;
    else if (d.kind == Definition::kFinite)
      EXPECT_EQ(static_cast<long double>(static_cast<float>(converted)),
                negative ? -all.back().value : all.back().value)
          << place;
    else
      EXPECT_TRUE(converted.isNan()) << place;
    return;
  }
  unsigned bits = *expected;
  const bool signedZero = d.kind != Definition::kFnuz || bits != 0;
  if (negative && signedZero) bits |= 1u << (T::kBits - 1);
  EXPECT_EQ(converted.bits(), bits) << place;
}

TYPED_TEST(FloatFormat, RoundsToTheNearestOfAllValues) {
  const std::vector<Code> all = codes(DefinitionOf<TypeParam>::kDefinition);
  std::vector<double> values = {0.0, -0.0, 1e300, -1e300, 5e-324, -5e-324, 1e-40, 3.5e38};
  // Around every value and every tie; of the wide formats a part.
  const size_t stride = all.size() > 1000 ? 37 : 1;
  for (size_t i = 0; i + 1 < all.size(); i += stride) {
    const auto a = static_cast<double>(all[i].value), b = static_cast<double>(all[i + 1].value);
    for (const double center : {a, a + (b - a) / 2, a + (b - a) / 4})
      for (const double value :
           {center, std::nextafter(center, 1e300), std::nextafter(center, -1e300)})
        values.push_back(value);
  }
  const auto largest = static_cast<double>(all.back().value);
  const auto beyond =
      static_cast<double>(all.back().value + (all.back().value - all[all.size() - 2].value) / 2);
  for (const double center : {largest, beyond, largest * 2, largest * 1.5})
    for (const double value :
         {center, std::nextafter(center, 1e300), std::nextafter(center, -1e300)})
      values.push_back(value);
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i)
    values.push_back(
        std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 340) - 220));
  for (const double magnitude : values)
    for (const double value : {magnitude, -magnitude}) {
      expectRounded(all, value, TypeParam(value));
      const auto single = static_cast<float>(value);
      if (std::isfinite(single)) expectRounded(all, static_cast<double>(single), TypeParam(single));
      if (testing::Test::HasFailure()) return;
    }
}

TYPED_TEST(FloatFormat, InfinityAndNan) {
  const auto kind = DefinitionOf<TypeParam>::kDefinition.kind;
  const TypeParam nan(std::nan("")), infinity(HUGE_VAL), minus(-HUGE_VAL);
  if (kind == Definition::kFinite) {
    EXPECT_EQ(nan.bits(), TypeParam::kSignBit);
    EXPECT_EQ(static_cast<float>(infinity),
              static_cast<float>(std::numeric_limits<TypeParam>::max()));
    EXPECT_EQ(static_cast<float>(minus),
              static_cast<float>(std::numeric_limits<TypeParam>::lowest()));
    return;
  }
  EXPECT_TRUE(nan.isNan());
  EXPECT_EQ(infinity.isNan(), kind != Definition::kIeee);
  EXPECT_EQ(minus.isNan(), kind != Definition::kIeee);
  if (kind == Definition::kIeee) EXPECT_EQ(static_cast<float>(minus), -HUGE_VALF);
}

// f16 against MPFR's correctly rounded arithmetic in 11 bits.
TEST(FloatFormats, ArithmeticRoundsCorrectly) {
  mpfr_set_default_prec(11);
  const mpfr_exp_t smallest = mpfr_get_emin(), largest = mpfr_get_emax();
  mpfr_set_emin(-23);  // 2^-24 is the smallest subnormal.
  mpfr_set_emax(16);
  mpfr_t a, b, r;
  mpfr_inits2(11, a, b, r, static_cast<mpfr_ptr>(nullptr));
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    const auto x = Float16::fromBits(static_cast<uint16_t>(random()));
    const auto y = Float16::fromBits(static_cast<uint16_t>(random()));
    if (!x.isFinite() || !y.isFinite()) continue;
    mpfr_set_flt(a, static_cast<float>(x), MPFR_RNDN);
    mpfr_set_flt(b, static_cast<float>(y), MPFR_RNDN);
    const auto expect = [&](int ternary, Float16 found) {
      ternary = mpfr_check_range(r, ternary, MPFR_RNDN);
      mpfr_subnormalize(r, ternary, MPFR_RNDN);
      const float expected = mpfr_get_flt(r, MPFR_RNDN);
      if (std::isnan(expected))
        EXPECT_TRUE(found.isNan());
      else
        EXPECT_EQ(static_cast<float>(found), expected);
    };
    expect(mpfr_add(r, a, b, MPFR_RNDN), x + y);
    expect(mpfr_sub(r, a, b, MPFR_RNDN), x - y);
    expect(mpfr_mul(r, a, b, MPFR_RNDN), x * y);
    expect(mpfr_div(r, a, b, MPFR_RNDN), x / y);
    ASSERT_FALSE(testing::Test::HasFailure()) << x.bits() << " " << y.bits();
  }
  mpfr_clears(a, b, r, static_cast<mpfr_ptr>(nullptr));
  mpfr_set_emin(smallest);
  mpfr_set_emax(largest);
}

TEST(FloatFormats, LargeIntegersRoundOnce) {
  // 2^53 + 2^45 is a tie of bf16; one more than it rounds up, which a rounding
  // to double first would hide.
  const int64_t tie = (int64_t{1} << 53) + (int64_t{1} << 45);
  EXPECT_EQ(static_cast<float>(BFloat16(tie)), 0x1p53f);
  EXPECT_EQ(static_cast<float>(BFloat16(tie + 1)), 0x1.02p53f);
  EXPECT_EQ(static_cast<float>(BFloat16(-tie - 1)), -0x1.02p53f);
  EXPECT_EQ(static_cast<float>(BFloat16(INT64_MIN)), -0x1p63f);
  EXPECT_EQ(static_cast<float>(BFloat16(UINT64_MAX)), 0x1p64f);
}

TEST(NarrowIntegers, WrapAroundAndExtend) {
  for (int value = -300; value < 300; ++value) {
    const int four = ((value % 16) + 16) % 16;
    EXPECT_EQ(static_cast<int>(Uint4(value)), four);
    EXPECT_EQ(static_cast<int>(Int4(value)), four >= 8 ? four - 16 : four);
    const int two = four % 4;
    EXPECT_EQ(static_cast<int>(Uint2(value)), two);
    EXPECT_EQ(static_cast<int>(Int2(value)), two >= 2 ? two - 4 : two);
  }
  EXPECT_EQ(static_cast<int>(std::numeric_limits<Int4>::min()), -8);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<Int4>::max()), 7);
  EXPECT_EQ(static_cast<int>(std::numeric_limits<Uint2>::max()), 3);
}

}  // namespace
}  // namespace vintage::tests
