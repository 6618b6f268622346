// Cumulative sums and their like: reduce_window with windows of all elements up to their place.
//
// jnp.cumsum over rows of 1,000 took 328 ms for a million numbers, 140 times as long as on XLA:
// each window was folded by itself. In one dimension it did not end.
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test::cumulative {
namespace {

using namespace golden;
using harness::RunOptions;

constexpr ElementType kF32 = ElementType::kF32, kF64 = ElementType::kF64, kI32 = ElementType::kI32;

const std::string kSum = "%r = stablehlo.add %a, %b : tensor<T>";

// Along `dimension` of an array of `shape`; elements of `type` take the place of T.
std::string cumulative(const std::string& shape, const std::string& type, size_t rank,
                       size_t dimension, int64_t size, bool fromEnd, const std::string& body,
                       const std::string& initial) {
  std::string sizes, padding;
  for (size_t d = 0; d < rank; ++d) {
    const bool isIt = d == dimension;
    sizes += fmt::format("{}{}", d ? ", " : "", isIt ? size : 1);
    padding += fmt::format("{}[{}, {}]", d ? ", " : "", isIt && !fromEnd ? size - 1 : 0,
                           isIt && fromEnd ? size - 1 : 0);
  }
  std::string typed = body;
  for (size_t at; (at = typed.find("<T>")) != std::string::npos;)
    typed.replace(at, 3, "<" + type + ">");
  return fmt::format(R"(func.func @main(%x: tensor<{0}x{1}>) -> tensor<{0}x{1}> {{
    %i = stablehlo.constant dense<{2}> : tensor<{1}>
    %0 = "stablehlo.reduce_window"(%x, %i) <{{window_dimensions = array<i64: {3}>,
        padding = dense<[{4}]> : tensor<{5}x2xi64>}}> ({{
      ^bb0(%a: tensor<{1}>, %b: tensor<{1}>):
        {6}
        stablehlo.return %r : tensor<{1}>
    }}) : (tensor<{0}x{1}>, tensor<{1}>) -> tensor<{0}x{1}>
    return %0 : tensor<{0}x{1}>
  }})",
                     shape, type, initial, sizes, padding, rank, typed);
}

std::vector<double> someNumbers(size_t count) {
  std::mt19937 random(7);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = static_cast<double>(random() % 2001) / 1000.0 - 1;
  return numbers;
}

// Of 4 x 5 x 6 numbers along a dimension, by hand.
std::vector<double> cumulated(std::vector<double> numbers, size_t dimension, bool fromEnd,
                              double (*fold)(double, double)) {
  const size_t sizes[] = {4, 5, 6}, strides[] = {30, 6, 1};
  const size_t size = sizes[dimension], stride = strides[dimension];
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i / stride % size != 0) continue;
    for (size_t k = 1; k < size; ++k) {
      const size_t place = fromEnd ? size - 1 - k : k;
      const size_t before = fromEnd ? place + 1 : place - 1;
      numbers[i + place * stride] = fold(numbers[i + before * stride], numbers[i + place * stride]);
    }
  }
  return numbers;
}

TEST(Cumulative, AlongEachDimensionFromEitherEnd) {
  struct Case {
    std::string body, initial;
    double (*fold)(double, double);
  };
  const Case cases[] = {{kSum, "0.0", [](double a, double b) { return a + b; }},
                        {"%r = stablehlo.multiply %a, %b : tensor<T>", "1.0",
                         [](double a, double b) { return a * b; }},
                        {"%r = stablehlo.maximum %a, %b : tensor<T>", "0xFFF0000000000000",
                         [](double a, double b) { return std::max(a, b); }},
                        // jax.lax.cumlogsumexp, but for infinities of one sign.
                        {R"(%m = stablehlo.maximum %a, %b : tensor<T>
          %d = stablehlo.subtract %a, %b : tensor<T>
          %w = stablehlo.compare NE, %d, %d : (tensor<T>, tensor<T>) -> tensor<i1>
          %s = stablehlo.add %a, %b : tensor<T>
          %p = stablehlo.abs %d : tensor<T>
          %n = stablehlo.negate %p : tensor<T>
          %e = stablehlo.exponential %n : tensor<T>
          %l = stablehlo.log_plus_one %e : tensor<T>
          %t = stablehlo.add %m, %l : tensor<T>
          %r = stablehlo.select %w, %s, %t : tensor<i1>, tensor<T>)",
                         "0xFFF0000000000000",
                         [](double a, double b) { return std::log(std::exp(a) + std::exp(b)); }}};
  const std::vector<double> numbers = someNumbers(120);
  const Tensor input = tensor(kF64, {4, 5, 6}, numbers);
  for (const Case& each : cases) {
    for (size_t dimension = 0; dimension < 3; ++dimension) {
      for (const bool fromEnd : {false, true}) {
        const int64_t size = input.shape()[dimension];
        const auto text =
            cumulative("4x5x6", "f64", 3, dimension, size, fromEnd, each.body, each.initial);
        const auto found = values<double>(evaluate(text, {input}));
        const auto expected = cumulated(numbers, dimension, fromEnd, each.fold);
        ASSERT_EQ(found.size(), expected.size());
        for (size_t i = 0; i < found.size(); ++i)
          EXPECT_NEAR(found[i], expected[i], 1e-14) << text << i;
      }
    }
  }
}

// As a fold of each window has it.
TEST(Cumulative, SumsAreRoundedOnce) {
  const size_t count = 100'000;
  const std::vector<float> ones(count, 0.1F);
  const auto text = cumulative("100000", "f32", 1, 0, 100'000, false, kSum, "0.0");
  const auto found = values<float>(evaluate(text, {tensor(kF32, {100'000}, ones)}));
  ASSERT_EQ(found.size(), count);
  double sum = 0;
  for (const float each : found) ASSERT_EQ(each, static_cast<float>(sum += 0.1F));
}

// (a, b) after (c, d) is (a c, b c + d): the order of two windows matters.
TEST(Cumulative, BodiesOfSeveralOperandsKeepTheirOrder) {
  const std::string text = R"(func.func @main(%x: tensor<5xi32>, %y: tensor<5xi32>)
      -> (tensor<5xi32>, tensor<5xi32>) {{
    %one = stablehlo.constant dense<1> : tensor<i32>
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = "stablehlo.reduce_window"(%x, %y, %one, %zero) <{{window_dimensions = array<i64: 5>,
        padding = dense<[[{}, {}]]> : tensor<1x2xi64>}}> ({{
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
        %p = stablehlo.multiply %a, %c : tensor<i32>
        %q = stablehlo.multiply %b, %c : tensor<i32>
        %s = stablehlo.add %q, %d : tensor<i32>
        stablehlo.return %p, %s : tensor<i32>, tensor<i32>
    }}) : (tensor<5xi32>, tensor<5xi32>, tensor<i32>, tensor<i32>) -> (tensor<5xi32>, tensor<5xi32>)
    return %0#0, %0#1 : tensor<5xi32>, tensor<5xi32>
  }})";
  const std::vector<int32_t> x = {2, 3, 5, 7, 11}, y = {1, 2, 3, 4, 5};
  for (const bool fromEnd : {false, true}) {
    std::vector<int32_t> factors(5), terms(5);
    for (size_t i = 0; i < 5; ++i) {
      int32_t factor = 1, term = 0;
      for (size_t k = fromEnd ? i : 0; k < (fromEnd ? 5 : i + 1); ++k) {
        factor *= x[k];
        term = term * x[k] + y[k];
      }
      factors[i] = factor;
      terms[i] = term;
    }
    const auto found = run(fmt::format(fmt::runtime(text), fromEnd ? 0 : 4, fromEnd ? 4 : 0),
                           {tensor(kI32, {5}, x), tensor(kI32, {5}, y)});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(values<int32_t>((*found)[0]), factors);
    EXPECT_EQ(values<int32_t>((*found)[1]), terms);
  }
}

// Padding holds the initial value, so that the first window adds it five times.
TEST(Cumulative, AnInitialValueThatIsNoneIsCountedForEachPadding) {
  const auto text = cumulative("5", "i32", 1, 0, 5, false, kSum, "100");
  EXPECT_EQ(values<int32_t>(evaluate(text, {tensor<int32_t>(kI32, {5}, {1, 2, 3, 4, 5})})),
            (std::vector<int32_t>{501, 403, 306, 210, 115}));
}

TEST(Cumulative, TakesNoElementsAndOneElement) {
  const auto none = cumulative("0x3", "i32", 2, 1, 3, false, kSum, "0");
  EXPECT_EQ(evaluate(none, {tensor<int32_t>(kI32, {0, 3}, {})}).size(), 0);
  const auto one = cumulative("1", "i32", 1, 0, 1, true, kSum, "0");
  EXPECT_EQ(values<int32_t>(evaluate(one, {tensor<int32_t>(kI32, {1}, {7})})),
            std::vector<int32_t>{7});
}

}  // namespace
}  // namespace vintage::tests::engine_test::cumulative
