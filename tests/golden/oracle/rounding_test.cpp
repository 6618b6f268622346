// Rounding to a type, compared with the hardware's and the storage types' own.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "golden/oracle/number.h"
#include "golden/oracle/real.h"
#include "golden/tensor/float_formats.h"

namespace vintage::tests {
using namespace golden;
using namespace golden::oracle;

namespace {

bool sameBits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

// Doubles of every exponent, and those near the borders of the narrow formats.
std::vector<double> doubles() {
  std::mt19937_64 random(7);
  std::vector<double> values{0.0,
                             -0.0,
                             1.0,
                             65504.0,
                             65519.999,
                             65520.0,
                             3.4028235677973366e38,
                             std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::denorm_min(),
                             0x1p-149,
                             0x1p-150,
                             0x1.8p-150,
                             0x1p-24,
                             0x1p-25,
                             0x1.000002p-25,
                             0x1p-133,
                             0x1p-134,
                             0x1.8p-134};
  for (int i = 0; i < 20000; ++i) {
    const uint64_t bits = random();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    values.push_back(value);
    values.push_back(
        std::ldexp(static_cast<double>(bits >> 40), static_cast<int>(bits % 300) - 170));
  }
  return values;
}

TEST(Rounding, AgreesWithTheHardwareAndTheStorageTypes) {
  for (double value : doubles()) {
    for (double signedValue : {value, -value}) {
      const Real real(signedValue);
      const auto f32 = static_cast<double>(static_cast<float>(signedValue));
      EXPECT_TRUE(sameBits(roundTo(ElementType::kF32, signedValue), f32)) << signedValue;
      EXPECT_TRUE(sameBits(real.roundTo(ElementType::kF32), f32)) << signedValue;
      const auto f16 = static_cast<double>(Float16(signedValue));
      EXPECT_TRUE(sameBits(roundTo(ElementType::kF16, signedValue), f16)) << signedValue;
      EXPECT_TRUE(sameBits(real.roundTo(ElementType::kF16), f16)) << signedValue;
      const auto bf16 = static_cast<double>(BFloat16(signedValue));
      EXPECT_TRUE(sameBits(roundTo(ElementType::kBF16, signedValue), bf16)) << signedValue;
      EXPECT_TRUE(sameBits(real.roundTo(ElementType::kBF16), bf16)) << signedValue;
      EXPECT_TRUE(sameBits(roundTo(ElementType::kF64, signedValue), signedValue)) << signedValue;
    }
  }
}

TEST(Rounding, AgreesWithTheStorageOfEveryNarrowFormat) {
  std::vector<double> values = doubles();
  for (int i = -700; i < 700; ++i)
    values.push_back(i / 16.0);  // Every tie of the smallest formats.
  using enum ElementType;
  for (ElementType type : {kF4E2M1FN, kF6E2M3FN, kF6E3M2FN, kF8E3M4, kF8E4M3, kF8E4M3B11FNUZ,
                           kF8E4M3FN, kF8E4M3FNUZ, kF8E5M2, kF8E5M2FNUZ, kF8E8M0FNU}) {
    for (double value : values) {
      for (double signedValue : {value, -value}) {
        // Formats without NaN have no result for it.
        if (std::isnan(signedValue) && !floatFormat(type).hasNan()) continue;
        Tensor stored(type, {});
        store(stored, 0, {0, signedValue, 0});
        const double expected = load(stored, 0).real;
        EXPECT_TRUE(sameBits(roundTo(type, signedValue), expected))
            << stablehloName(type) << " of " << signedValue;
        EXPECT_TRUE(sameBits(Real(signedValue).roundTo(type), expected))
            << stablehloName(type) << " of " << signedValue;
      }
    }
    Tensor largest(type, {});
    store(largest, 0, {0, floatFormat(type).largestFinite(), 0});
    EXPECT_EQ(load(largest, 0).real, floatFormat(type).largestFinite()) << stablehloName(type);
  }
}

TEST(Rounding, RoundsOnceFromMoreThanDouble) {
  // Above a tie of f32, by less than a double can represent.
  const Quad above = Quad(1) + Quad(0x1p-24) + Quad(0x1p-90);
  EXPECT_EQ(roundTo(ElementType::kF32, above), 1 + 0x1p-23);
  EXPECT_EQ(roundTo(ElementType::kF32, Quad(1) + Quad(0x1p-24)), 1.0);
  const Real real = Real(1.0) + Real(0x1p-24) + Real(0x1p-90);
  EXPECT_EQ(real.roundTo(ElementType::kF32), 1 + 0x1p-23);
  // Half of the smallest subnormal goes to zero, anything above it does not.
  EXPECT_EQ(roundTo(ElementType::kF64, Quad(0x1p-1074) / 2), 0.0);
  EXPECT_EQ(roundTo(ElementType::kF64, Quad(0x1p-1074) * Quad(0.51)), 0x1p-1074);
}

TEST(Wrapping, IsModularInEveryWidth) {
  EXPECT_EQ(wrap(ElementType::kI8, 128), Wide{-128});
  EXPECT_EQ(wrap(ElementType::kI8, -129), Wide{127});
  EXPECT_EQ(wrap(ElementType::kUi8, -1), Wide{255});
  EXPECT_EQ(wrap(ElementType::kUi64, -1), static_cast<Wide>(~uint64_t{0}));
  EXPECT_EQ(wrap(ElementType::kI64, Wide{1} << 63), -(Wide{1} << 63));
  EXPECT_EQ(wrap(ElementType::kI1, 6), Wide{1});
  for (int64_t value = -100000; value < 100000; value += 37) {
    EXPECT_EQ(static_cast<int64_t>(wrap(ElementType::kI16, value)), static_cast<int16_t>(value));
    EXPECT_EQ(static_cast<int64_t>(wrap(ElementType::kUi16, value)), static_cast<uint16_t>(value));
  }
}

}  // namespace
}  // namespace vintage::tests
