// Random rounding: which operations it moves, how far, and that a seed decides.
#include <cmath>
#include <random>

#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
namespace {

using namespace golden;
using namespace harness;

constexpr ElementType kF32 = ElementType::kF32;

std::vector<Tensor> runWith(std::string_view text, const std::vector<Tensor>& inputs,
                            std::optional<uint64_t> seed,
                            ExecutionMode mode = ExecutionMode::kGraph) {
  auto outputs = run(text, inputs, mode, {.roundingSeed = seed});
  EXPECT_TRUE(outputs) << (outputs ? "" : outputs.error().message);
  return outputs ? *outputs : std::vector<Tensor>{};
}

// The furthest that five seeds move element 0 of output 0.
double spread(std::string_view text, const std::vector<Tensor>& inputs) {
  const float center = runWith(text, inputs, std::nullopt).at(0).values<float>()[0];
  double furthest = 0;
  for (uint64_t seed = 1; seed <= 5; ++seed)
    furthest = std::max(
        furthest, std::abs(double{runWith(text, inputs, seed).at(0).values<float>()[0]} - center));
  return furthest;
}

bool staysExact(std::string_view text, const std::vector<Tensor>& inputs) {
  const auto center = runWith(text, inputs, std::nullopt);
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto moved = runWith(text, inputs, seed);
    for (size_t i = 0; i < center.size(); ++i)
      if (!center[i].identical(moved.at(i))) return false;
  }
  return true;
}

std::vector<float> randomNumbers(size_t count, float low, float high) {
  std::mt19937 random(7);
  std::vector<float> numbers;
  for (size_t i = 0; i < count; ++i)
    numbers.push_back(low + (high - low) * static_cast<float>(random()) / 4294967296.0F);
  return numbers;
}

const std::string kSum = R"(
func.func @main(%x: tensor<4096xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
})";

const std::string kDot = R"(
func.func @main(%x: tensor<1x4096xf32>, %y: tensor<4096x1xf32>) -> tensor<1x1xf32> {
  %dot = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]
    : (tensor<1x4096xf32>, tensor<4096x1xf32>) -> tensor<1x1xf32>
  return %dot : tensor<1x1xf32>
})";

TEST(RandomRounding, ASeedDecidesInBothModes) {
  const std::string text = R"(
    func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %a = stablehlo.exponential %x : tensor<64xf32>
      %b = stablehlo.multiply %a, %x : tensor<64xf32>
      return %b : tensor<64xf32>
    })";
  const std::vector<Tensor> inputs{tensor(kF32, {64}, randomNumbers(64, -2, 2))};
  const Tensor one = runWith(text, inputs, 1).at(0);
  EXPECT_TRUE(one.identical(runWith(text, inputs, 1).at(0)));
  EXPECT_TRUE(one.identical(runWith(text, inputs, 1, ExecutionMode::kEager).at(0)));
  EXPECT_FALSE(one.identical(runWith(text, inputs, 2).at(0)));
  EXPECT_FALSE(one.identical(runWith(text, inputs, std::nullopt).at(0)));
  // Each is a few units off, no more.
  const auto center = values<float>(runWith(text, inputs, std::nullopt).at(0));
  const auto moved = values<float>(one);
  for (size_t i = 0; i < center.size(); ++i)
    EXPECT_NEAR(moved[i], center[i], std::abs(center[i]) * 6e-7F) << i;
}

TEST(RandomRounding, ExactOperationsStayExact) {
  const std::vector<float> whole{1, 2, 3, -4, 5, 6, 0, 8};
  const std::vector<Tensor> inputs{tensor(kF32, {8}, whole),
                                   tensor(kF32, {8}, std::vector<float>{3, -2, 0.5, 1, 7, 2, 1, 4}),
                                   tensor(kF32, {8}, randomNumbers(8, -2, 2))};
  EXPECT_TRUE(staysExact(R"(
    func.func @main(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>)
        -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xi32>,
            tensor<f32>, tensor<f32>) {
      %a = stablehlo.add %x, %y : tensor<8xf32>
      %b = stablehlo.multiply %x, %y : tensor<8xf32>
      %c = stablehlo.subtract %z, %z : tensor<8xf32>
      %d = stablehlo.maximum %z, %x : tensor<8xf32>
      %e = stablehlo.negate %z : tensor<8xf32>
      %f = stablehlo.convert %x : (tensor<8xf32>) -> tensor<8xi32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %g = stablehlo.reduce(%z init: %low) applies stablehlo.maximum across dimensions = [0]
        : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      %h = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
      return %a, %b, %c, %d, %e, %f, %g, %h : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>,
        tensor<8xf32>, tensor<8xf32>, tensor<8xi32>, tensor<f32>, tensor<f32>
    })",
                         inputs));
}

// A sum in f32 of 4096 positive numbers differs between orders of summation. Its spread has to
// cover the real error of a naive one, and not to be as large as the worst case.
TEST(RandomRounding, ASumScattersAsItsTermsAccumulate) {
  const std::vector<float> numbers = randomNumbers(4096, 0, 1);
  double exact = 0;
  float naive = 0;
  for (const float number : numbers) exact += number, naive += number;
  const double found = spread(kSum, {tensor(kF32, {4096}, numbers)});
  EXPECT_GE(8 * found, std::abs(naive - exact));
  EXPECT_LT(found, exact * 4096 * 6e-8 / 8);
  EXPECT_GT(found, exact * 3e-8);
}

// The result is near zero, so that a move of a unit in its last place would be nothing: what
// scatters are the terms.
TEST(RandomRounding, WhatCancelsScattersAsItsTermsDo) {
  std::vector<float> numbers = randomNumbers(2048, 0.5, 1);
  for (size_t i = 0; i < 2048; ++i) numbers.push_back(-numbers[2047 - i] * (1 + 1e-6F));
  double exact = 0, magnitudes = 0;
  float naive = 0;
  for (const float number : numbers) {
    exact += number, magnitudes += std::abs(number);
    naive += number;
  }
  const double sum = spread(kSum, {tensor(kF32, {4096}, numbers)});
  EXPECT_GE(8 * sum, std::abs(naive - exact));
  EXPECT_GT(sum, magnitudes * 1e-8);
  EXPECT_LT(sum, magnitudes * 1e-6);

  const std::vector<float> factors(4096, 1.1F);
  const double dot =
      spread(kDot, {tensor(kF32, {1, 4096}, numbers), tensor(kF32, {4096, 1}, factors)});
  EXPECT_GT(dot, magnitudes * 1e-8);
  EXPECT_LT(dot, magnitudes * 2e-6);
}

TEST(RandomRounding, AProductOfWholeNumbersIsExact) {
  std::vector<float> whole(4096);
  for (size_t i = 0; i < whole.size(); ++i) whole[i] = static_cast<float>(i % 8) - 3;
  EXPECT_TRUE(staysExact(kDot, {tensor(kF32, {1, 4096}, whole), tensor(kF32, {4096, 1}, whole)}));
}

// Loops, branches and calls run in frames of their own.
TEST(RandomRounding, ReachesIntoLoopsAndCalls) {
  const std::string text = R"(
    func.func private @step(%x: tensor<f32>) -> tensor<f32> {
      %factor = stablehlo.constant dense<1.01> : tensor<f32>
      %y = stablehlo.multiply %x, %factor : tensor<f32>
      %one = stablehlo.constant dense<1.1> : tensor<f32>
      %z = stablehlo.add %y, %one : tensor<f32>
      return %z : tensor<f32>
    }
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<f32>
        cond {
          %n = stablehlo.constant dense<100> : tensor<i32>
          %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
        } do {
          %one = stablehlo.constant dense<1> : tensor<i32>
          %j = stablehlo.add %i, %one : tensor<i32>
          %w = func.call @step(%v) : (tensor<f32>) -> tensor<f32>
          stablehlo.return %j, %w : tensor<i32>, tensor<f32>
        }
      return %r#1 : tensor<f32>
    })";
  const double found = spread(text, {tensor(kF32, {}, std::vector<float>{0.7F})});
  EXPECT_GT(found, 0);
  EXPECT_LT(found, 1e-3);
}

// Scattering into zeros leaves the others zeros; a KV cache that is written is not moved at all.
TEST(RandomRounding, AScatterMovesOnlyWhatItAddsTo) {
  const std::string text = R"(
    func.func @main(%x: tensor<8xf32>, %u: tensor<2xf32>) -> tensor<8xf32> {
      %at = stablehlo.constant dense<[[1], [5]]> : tensor<2x1xi32>
      %r = "stablehlo.scatter"(%x, %at, %u) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
        : (tensor<8xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    })";
  const std::vector<float> base = randomNumbers(8, 1, 2);
  const std::vector<Tensor> inputs{tensor(kF32, {8}, base),
                                   tensor(kF32, {2}, std::vector<float>{0.1F, 0.3F})};
  bool moved = false;
  const auto center = values<float>(runWith(text, inputs, std::nullopt).at(0));
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const auto found = values<float>(runWith(text, inputs, seed).at(0));
    for (size_t i = 0; i < found.size(); ++i)
      if (i == 1 || i == 5)
        moved |= found[i] != center[i];
      else
        EXPECT_EQ(found[i], base[i]) << i;
  }
  EXPECT_TRUE(moved);
}

TEST(RandomRounding, NarrowTypesMoveByTheirOwnUnits) {
  const std::string text = R"(
    func.func @main(%x: tensor<64xbf16>) -> tensor<64xbf16> {
      %y = stablehlo.multiply %x, %x : tensor<64xbf16>
      return %y : tensor<64xbf16>
    })";
  std::vector<uint16_t> bits;
  for (uint16_t i = 0; i < 64; ++i) bits.push_back(static_cast<uint16_t>(0x3F81 + 3 * i));
  const std::vector<Tensor> inputs{tensor(ElementType::kBF16, {64}, bits)};
  const auto center = values<uint16_t>(runWith(text, inputs, std::nullopt).at(0));
  const auto found = values<uint16_t>(runWith(text, inputs, 3).at(0));
  int moved = 0;
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_LE(std::abs(found[i] - center[i]), 1);
    moved += found[i] != center[i];
  }
  EXPECT_GT(moved, 15);
  EXPECT_LT(moved, 50);
}

}  // namespace
}  // namespace vintage::tests::engine_test
