// Scales of noise: how they are kept, measured and judged by, and what limits of detection follow.
#include "golden/compare/noise.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include "golden/base/content_hash.h"
#include "golden/compare/golden.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

using Runs = std::vector<std::vector<Tensor>>;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

template <typename T = float>
Tensor of(const std::vector<T>& values, ElementType type = ElementType::kF32) {
  Tensor tensor(type, {std::ssize(values)});
  std::ranges::copy(values, tensor.mutableValues<T>().begin());
  return tensor;
}

Golden goldenOf(Tensor expected, double relative = 1e-6) {
  Golden golden;
  golden.expected = {std::move(expected)};
  Comparator comparator;
  if (relative > 0) {
    comparator.kind = Comparator::Kind::kElementwise;
    comparator.tolerance.relative = relative;
  }
  golden.comparators = {comparator};
  golden.oracle = "x";
  return golden;
}

Comparison compared(const Golden& golden, const Tensor& actual) {
  return compareOutputs(golden.comparators[0], {}, golden.expected, {&actual, 1},
                        golden.noise ? std::span<const NoiseScale>(golden.noise->outputs)
                                     : std::span<const NoiseScale>());
}

TEST(NoiseScale, KeepsScalesToHalfAnOctaveAndNeverLess) {
  const std::vector<double> scales{1,      1.4143, 2,    3e-8, 0, kInfinite, 5e-324 * 1024,
                                   1e-300, 1e300,  0.75, 1e-9, 7, 1e-12};
  // The codes cannot hold so wide a range: the least scales grow.
  const NoiseScale wide = NoiseScale::of(scales, {13});
  for (size_t i = 0; i < scales.size(); ++i)
    EXPECT_GE(wide.at(static_cast<int64_t>(i)), scales[i]) << i;
  const std::vector<double> close{1, 1.4143, 2, 3e-8, 0, kInfinite, 0.75, 1e-9, 7, 1e-12};
  const NoiseScale kept = NoiseScale::of(close, {10});
  for (size_t i = 0; i < close.size(); ++i) {
    const double scale = kept.at(static_cast<int64_t>(i));
    EXPECT_GE(scale, close[i] * (1 - 1e-15)) << i;
    EXPECT_LE(scale, close[i] * 1.4143) << i;
  }
  EXPECT_EQ(kept.at(0), 1);
  EXPECT_EQ(kept.at(4), 0);
}

TEST(NoiseScale, OneScaleForAllTakesOneByte) {
  const NoiseScale kept = NoiseScale::of(std::vector<double>(1000, 1e-5), {10, 100});
  EXPECT_EQ(kept.codes.size(), 1);
  EXPECT_EQ(kept.at(0), kept.at(999));
  EXPECT_TRUE(NoiseScale::of(std::vector<double>(1000, 0), {1000}).everywhereZero());
}

// An output on which few runs happen to agree is not exact: its neighbours show that it is not.
TEST(Noise, NeighboursRaiseWhatAgreesByChance) {
  std::vector<float> center(32, 1), low(32, 0.999F);
  low[5] = 1;
  center[20] = low[20] = 0;  // Masked: it stays exact.
  const Golden golden = goldenOf(of(center));
  const auto noise = noiseOf(golden, {1}, golden.expected, Runs{{of(low)}});
  ASSERT_TRUE(noise) << noise.error().message;
  ASSERT_TRUE(*noise);
  EXPECT_EQ((*noise)->outputs[0].at(5), (*noise)->outputs[0].at(6));
  EXPECT_EQ((*noise)->outputs[0].at(20), 0);
}

TEST(Noise, IsNotKeptWhereTheComparatorAllowsMore) {
  const Golden golden = goldenOf(of({1, 2, 3}), 1e-3);
  const auto noise = noiseOf(golden, {1}, golden.expected, Runs{{of({1.00005F, 2.00005F, 3})}});
  ASSERT_TRUE(noise);
  EXPECT_FALSE(*noise);
}

TEST(Noise, RunsWithOtherOutputsAreNoMeasurement) {
  const Golden golden = goldenOf(of({1, 2, 3}));
  EXPECT_FALSE(noiseOf(golden, {1}, golden.expected, Runs{{of({1, 2})}}));
}

TEST(Noise, ADifferenceCountsBeyondSixteenScales) {
  Golden golden = goldenOf(of({1, 1, 1, 0.0001F}));
  golden.noise = Noise{{1}, {NoiseScale::of(std::vector<double>(4, 0x1p-10), {4})}};
  const Comparison within = compared(golden, of({1.015F, 1, 1, 0.0001F}));
  EXPECT_TRUE(within.same);
  EXPECT_EQ(within.withinNoise, 1);
  EXPECT_EQ(within.notComparable, 0);
  const Comparison beyond = compared(golden, of({1.016F, 1, 1, 0.0001F}));
  EXPECT_FALSE(beyond.same);
  EXPECT_THAT(beyond.firstDifference, HasSubstr("roundings scatter it by 0.00098, and 16 times"));
}

// The gradient of a bias that cancels: 1.4e-09 for -5.6e-09 is no failure, nor is it a pass. 1 is
// a failure all the same.
TEST(Noise, WhatIsAllNoiseIsNotComparable) {
  Golden golden = goldenOf(of({-5.6e-9F}));
  golden.noise = Noise{{1}, {NoiseScale::of(std::vector<double>{6e-9}, {1})}};
  const Comparison noisy = compared(golden, of({1.4e-9F}));
  EXPECT_TRUE(noisy.same);
  EXPECT_EQ(noisy.notComparable, 1);
  EXPECT_THAT(noisy.firstNotComparable, HasSubstr("expected -5.6e-09, found 1.4e-09"));
  EXPECT_FALSE(compared(golden, of({1})).same);
  EXPECT_FALSE(compared(golden, of({std::numeric_limits<float>::quiet_NaN()})).same);
}

TEST(Noise, IntegersThatRoundingsDecideAreNotComparable) {
  Golden golden = goldenOf(of<int32_t>({3, 4}, ElementType::kI32), 0);
  const auto noise = noiseOf(golden, {1, 2}, golden.expected,
                             Runs{golden.expected, {of<int32_t>({3, 17}, ElementType::kI32)}});
  ASSERT_TRUE(noise && *noise);
  golden.noise = **noise;
  EXPECT_EQ(compared(golden, of<int32_t>({3, 40}, ElementType::kI32)).notComparable, 1);
  EXPECT_FALSE(compared(golden, of<int32_t>({2, 4}, ElementType::kI32)).same);
  EXPECT_EQ(detectionLimits(golden)[0].notComparable, 1);
}

TEST(Noise, ANotANumberInSomeRunsIsNotComparable) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Golden golden = goldenOf(of({1, 2}));
  const auto noise = noiseOf(golden, {1}, golden.expected, Runs{{of({1, nan})}});
  ASSERT_TRUE(noise && *noise);
  EXPECT_EQ((*noise)->outputs[0].at(1), kInfinite);
  EXPECT_EQ((*noise)->outputs[0].at(0), 0);
}

TEST(DetectionLimit, IsTheLargestOfBoundNoiseAndSpacing) {
  Golden golden = goldenOf(of({1, 2, 4, 5e-5F, 0}), 1e-5);
  std::vector<double> scales(5, 0x1p-14);
  scales[4] = 0;
  golden.noise = Noise{{1}, {NoiseScale::of(scales, {5})}};
  const DetectionLimit limit = detectionLimits(golden)[0];
  EXPECT_EQ(limit.elements, 4);
  EXPECT_EQ(limit.notComparable, 1);  // 5e-5 is less than its scale.
  EXPECT_EQ(limit.worst, 0x1p-10);
  EXPECT_EQ(limit.median, 0x1p-11);
  // A value a little beyond the limit fails, and one a little within it passes.
  EXPECT_FALSE(compared(golden, of({1 + 0x1.01p-10F, 2, 4, 5e-5F, 0})).same);
  EXPECT_TRUE(compared(golden, of({1 + 0x1.fep-11F, 2, 4, 5e-5F, 0})).same);

  golden.noise.reset();
  EXPECT_DOUBLE_EQ(detectionLimits(golden)[0].worst, 1e-5);
  golden.comparators[0].kind = Comparator::Kind::kQr;
  EXPECT_TRUE(detectionLimits(golden)[0].byMeaning);
}

Golden noisyGolden() {
  Golden golden = goldenOf(of({1, 2, 3}));
  golden.expected.push_back(of({4, 5}));
  golden.expected.push_back(of({6, 7}));
  golden.noise = Noise{{1, 2, 3},
                       {NoiseScale::of(std::vector<double>{1, 0, kInfinite}, {3}),
                        NoiseScale::of(std::vector<double>{0, 0}, {2}),
                        NoiseScale::of(std::vector<double>{1e-7, 1e-7}, {2})}};
  return golden;
}

TEST(Golden, WithNoiseIsOfVersionTwoAndRoundTrips) {
  Golden golden = noisyGolden();
  const auto bytes = writeGolden(golden);
  ASSERT_TRUE(bytes) << bytes.error().message;
  EXPECT_EQ((*bytes)[8], std::byte{2});
  const auto read = readGolden(*bytes, "noisy");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_TRUE(read->noise);
  EXPECT_EQ(read->noise->seeds, (std::vector<int64_t>{1, 2, 3}));
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read->noise->outputs[i].lowest, golden.noise->outputs[i].lowest);
    EXPECT_TRUE(read->noise->outputs[i].codes.identical(golden.noise->outputs[i].codes));
  }
  EXPECT_EQ(*writeGolden(*read), *bytes);
  golden.noise.reset();
  EXPECT_EQ((*writeGolden(golden))[8], std::byte{1});
}

TEST(Golden, ScalesThatFitNoOutputOrAreNotFiniteAreRefused) {
  Golden golden = noisyGolden();
  golden.noise->outputs.pop_back();
  EXPECT_FALSE(writeGolden(golden));
  golden = noisyGolden();
  golden.noise->outputs[0].codes = Tensor(ElementType::kUi8, {2});
  EXPECT_FALSE(writeGolden(golden));
  golden = noisyGolden();
  golden.noise->outputs[0].lowest = 1'000'000;
  const auto written = writeGolden(golden);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("not finite"));
}

// A damaged file may have a right checksum.
TEST(Golden, HostileNoiseIsAnErrorOrAGolden) {
  const std::vector<std::byte> bytes = *writeGolden(noisyGolden());
  for (size_t at = 24; at + 64 < bytes.size(); ++at)
    for (const int bit : {0, 3, 6}) {
      std::vector<std::byte> damaged = bytes;
      damaged[at] ^= static_cast<std::byte>(1 << bit);
      damaged.resize(damaged.size() - 64);
      for (const char c : contentHash(damaged)) damaged.push_back(static_cast<std::byte>(c));
      const auto read = readGolden(damaged, "hostile");
      if (!read) continue;
      EXPECT_TRUE(writeGolden(*read));
      detectionLimits(*read);
      compareOutputs(read->comparators[0], {}, read->expected, read->expected,
                     read->noise ? std::span<const NoiseScale>(read->noise->outputs)
                                 : std::span<const NoiseScale>());
    }
}

}  // namespace
}  // namespace vintage::tests
