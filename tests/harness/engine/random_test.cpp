#include <cmath>

#include "harness/engine/operations/random_bits.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;

// The known answers that Random123 publishes (kat_vectors).
TEST(Threefry, GivesThePublishedAnswers) {
  EXPECT_THAT(threefry2x32({0, 0}, {0, 0}), ElementsAre(0x6b200159u, 0x99ba4efeu));
  EXPECT_THAT(threefry2x32({~0u, ~0u}, {~0u, ~0u}), ElementsAre(0x1cb996fcu, 0xbb002be7u));
  EXPECT_THAT(threefry2x32({0x13198a2eu, 0x03707344u}, {0x243f6a88u, 0x85a308d3u}),
              ElementsAre(0xc4923a9cu, 0x483df7a0u));
}

TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_THAT(philox4x32({0, 0}, {0, 0, 0, 0}),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(philox4x32({~0u, ~0u}, {~0u, ~0u, ~0u, ~0u}),
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(
      philox4x32({0xa4093822u, 0x299f31d0u}, {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}),
      ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

Tensor stateOf(std::vector<uint64_t> words) {
  return filled<uint64_t>(ElementType::kUi64, {static_cast<int64_t>(words.size())}, words);
}

TEST(RngBitGenerator, AdvancesTheStateByTheCountersUsed) {
  struct Case {
    BitGenerator generator;
    std::vector<uint64_t> before;
    ElementType type;
    Shape shape;
    std::vector<uint64_t> after;
  };
  const Case cases[] = {
      {BitGenerator::kThreefry, {1, 5}, ElementType::kUi64, {7}, {1, 12}},
      {BitGenerator::kThreefry, {1, 5}, ElementType::kUi32, {7}, {1, 9}},
      {BitGenerator::kThreefry, {1, 5}, ElementType::kUi32, {3, 4}, {1, 11}},
      {BitGenerator::kThreefry, {1, 5}, ElementType::kUi32, {}, {1, 6}},
      {BitGenerator::kPhilox, {1, 5, 9}, ElementType::kUi32, {9}, {1, 8, 9}},
      {BitGenerator::kPhilox, {1, ~uint64_t{0}, 9}, ElementType::kUi64, {3}, {1, 1, 10}},
      {BitGenerator::kPhilox, {1, 5}, ElementType::kUi8, {4}, {1, 6}},
  };
  for (const Case& c : cases) {
    const auto bits = generateBits(c.generator, stateOf(c.before), c.type, c.shape);
    ASSERT_TRUE(bits.has_value()) << bits.error().message;
    EXPECT_EQ(valuesOf<uint64_t>(bits->state), c.after);
    EXPECT_EQ(bits->values.shape(), c.shape);
  }
}

TEST(RngBitGenerator, TakesBothHalvesOfACounterForNeighboursAlongTheFirstEvenDimension) {
  const auto bits =
      generateBits(BitGenerator::kThreefry, stateOf({3, 10}), ElementType::kUi32, {3, 4});
  ASSERT_TRUE(bits.has_value());
  for (int64_t row = 0; row < 3; ++row) {
    for (int64_t pair = 0; pair < 2; ++pair) {
      const auto expected = threefry2x32({3, 0}, {static_cast<uint32_t>(10 + row * 2 + pair), 0});
      EXPECT_EQ(bits->values.values<uint32_t>()[row * 4 + pair * 2], expected[0]);
      EXPECT_EQ(bits->values.values<uint32_t>()[row * 4 + pair * 2 + 1], expected[1]);
    }
  }
}

TEST(RngBitGenerator, RunsFromText) {
  const auto outputs = runMain("(%s: tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)",
                               "%0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : "
                               "(tensor<2xui64>) -> (tensor<2xui64>, tensor<ui64>)\n"
                               "return %0, %1 : tensor<2xui64>, tensor<ui64>",
                               {stateOf({3, 3})});
  EXPECT_THAT(valuesOf<uint64_t>(outputs[0]), ElementsAre(3, 4));
  const auto expected = threefry2x32({3, 0}, {3, 0});
  EXPECT_THAT(valuesOf<uint64_t>(outputs[1]),
              ElementsAre(expected[0] | static_cast<uint64_t>(expected[1]) << 32));
}

TEST(RngBitGenerator, RefusesStatesOfOtherShapes) {
  EXPECT_FALSE(generateBits(BitGenerator::kThreefry, stateOf({1}), ElementType::kUi32, {2}));
  EXPECT_FALSE(generateBits(BitGenerator::kThreefry, stateOf({1, 2, 3}), ElementType::kUi32, {2}));
  EXPECT_FALSE(
      generateBits(BitGenerator::kPhilox, Tensor(ElementType::kF32, {4}), ElementType::kUi32, {2}));
  EXPECT_FALSE(generateBits(BitGenerator::kPhilox, stateOf({1, 2}), ElementType::kC64, {2}));
}

TEST(Rng, HasTheMomentsOfItsDistribution) {
  const auto scalar = [](double value) { return filled<double>(ElementType::kF64, {}, {value}); };
  constexpr int64_t kCount = 200000;
  const auto moments = [](const Tensor& numbers) {
    double mean = 0, square = 0;
    for (double value : numbers.values<double>()) mean += value / kCount;
    for (double value : numbers.values<double>())
      square += (value - mean) * (value - mean) / kCount;
    return std::pair(mean, std::sqrt(square));
  };
  const auto uniform = drawNumbers(Distribution::kUniform, scalar(-1), scalar(3), {kCount}, 1);
  ASSERT_TRUE(uniform.has_value());
  EXPECT_NEAR(moments(*uniform).first, 1, 0.02);
  EXPECT_NEAR(moments(*uniform).second, 4 / std::sqrt(12), 0.02);
  for (double value : uniform->values<double>()) ASSERT_TRUE(value >= -1 && value < 3);
  const auto normal = drawNumbers(Distribution::kNormal, scalar(2), scalar(0.5), {kCount}, 1);
  ASSERT_TRUE(normal.has_value());
  EXPECT_NEAR(moments(*normal).first, 2, 0.01);
  EXPECT_NEAR(moments(*normal).second, 0.5, 0.01);
}

TEST(Rng, StaysBelowTheUpperBoundInNarrowTypes) {
  const Tensor low(ElementType::kF16, {}), high = filled<uint16_t>(ElementType::kF16, {}, {0x3C00});
  const auto numbers = drawNumbers(Distribution::kUniform, low, high, {20000}, 3);
  ASSERT_TRUE(numbers.has_value());
  for (uint16_t bits : numbers->values<uint16_t>()) ASSERT_LT(bits, 0x3C00);  // Below 1.
  const auto integers =
      drawNumbers(Distribution::kUniform, filled<int8_t>(ElementType::kI8, {}, {-3}),
                  filled<int8_t>(ElementType::kI8, {}, {4}), {1000}, 3);
  ASSERT_TRUE(integers.has_value());
  EXPECT_THAT(valuesOf<int8_t>(*integers),
              testing::Each(testing::AllOf(testing::Ge(-3), testing::Lt(4))));
}

}  // namespace
}  // namespace vintage::tests
