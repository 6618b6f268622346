// Sorts whose comparators compare keys, as JAX writes them.
//
// jnp.sort ran its comparator of nine operations for each comparison of two elements: a million
// numbers took 541 ms, four times as long as on XLA.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test::sort_keys {
namespace {

using namespace golden;

constexpr ElementType kF32 = ElementType::kF32, kI32 = ElementType::kI32;

// Numbers with their places, sorted by `comparator` over %a and %b of the numbers, %c and %d of the
// places. Gives the places.
std::string sorting(std::string_view comparator, std::string_view shape) {
  return fmt::format(
      R"(func.func @main(%x: tensor<{0}xf32>, %i: tensor<{0}xi32>) -> tensor<{0}xi32> {{
    %0:2 = "stablehlo.sort"(%x, %i) <{{dimension = 1 : i64, is_stable = true}}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
        {1}
        stablehlo.return %r : tensor<i1>
    }}) : (tensor<{0}xf32>, tensor<{0}xi32>) -> (tensor<{0}xf32>, tensor<{0}xi32>)
    return %0#1 : tensor<{0}xi32>
  }})",
      shape, comparator);
}

// JAX's key: one zero, one NaN.
std::string key(std::string_view value, std::string_view name) {
  return fmt::format(R"(
        %z{1} = stablehlo.compare EQ, {0}, %zero, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %y{1} = stablehlo.select %z{1}, %zero, {0} : tensor<i1>, tensor<f32>
        %n{1} = stablehlo.compare NE, {0}, {0}, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %k{1} = stablehlo.select %n{1}, %nan, %y{1} : tensor<i1>, tensor<f32>)",
                     value, name);
}

std::string compared(std::string_view direction, std::string_view left, std::string_view right,
                     std::string_view type = "TOTALORDER") {
  return fmt::format(
      "\n        %r = stablehlo.compare {}, {}, {}, {} : (tensor<f32>, tensor<f32>) -> tensor<i1>",
      direction, left, right, type);
}

constexpr int64_t kLines = 3, kLength = 1300;  // More than the keys of one step.

std::vector<float> someNumbers() {
  std::mt19937 random(11);
  std::vector<float> numbers(kLines * kLength);
  const float special[] = {0.0F, -0.0F, std::numeric_limits<float>::quiet_NaN(),
                           -std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity()};
  for (float& number : numbers)
    number = random() % 4 == 0 ? special[random() % 5] : static_cast<float>(random() % 200) - 100;
  return numbers;
}

std::vector<int32_t> places() {
  std::vector<int32_t> all(kLines * kLength);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i) % kLength;
  return all;
}

std::vector<int32_t> sorted(std::string_view comparator) {
  const Shape shape = {kLines, kLength};
  return values<int32_t>(
      evaluate(sorting(comparator, fmt::format("{}x{}", kLines, kLength)),
               {tensor(kF32, shape, someNumbers()), tensor(kI32, shape, places())}));
}

// The places of each line, in the order of `precedes`.
template <typename Precedes>
std::vector<int32_t> byHand(Precedes precedes) {
  const std::vector<float> numbers = someNumbers();
  std::vector<int32_t> order = places();
  for (int64_t line = 0; line < kLines; ++line) {
    const auto begin = order.begin() + line * kLength;
    const float* own = numbers.data() + line * kLength;
    std::stable_sort(begin, begin + kLength,
                     [&](int32_t i, int32_t j) { return precedes(own[i], own[j]); });
  }
  return order;
}

// NaN comes last, and each equals each other.
bool ascending(float a, float b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

TEST(SortKeys, NumPysOrderIsStable) {
  const std::string keys = key("%a", "a") + key("%b", "b");
  EXPECT_EQ(sorted(keys + compared("LT", "%ka", "%kb")), byHand(ascending));
  EXPECT_EQ(sorted(keys + compared("GT", "%kb", "%ka")), byHand(ascending));
  EXPECT_EQ(sorted(keys + compared("GT", "%ka", "%kb")),
            byHand([](float a, float b) { return ascending(b, a); }));
}

// jnp.lexsort ran its comparator for each comparison: a million pairs took six times as long as on
// XLA. The places, taken modulo 7, come first here, and the numbers decide where these are equal.
TEST(SortKeys, TheNextKeyDecidesWhereOneIsEqual) {
  const auto comparator = [](std::string_view direction, std::string_view type,
                             std::string_view decided) {
    return key("%a", "a") + key("%b", "b") +
           fmt::format(R"(
        %seven = stablehlo.constant dense<7> : tensor<i32>
        %p = stablehlo.remainder %c, %seven : tensor<i32>
        %q = stablehlo.remainder %d, %seven : tensor<i32>
        %s = stablehlo.compare {0}, %ka, %kb, {1} : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %t = stablehlo.compare LT, %p, %q, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %u = stablehlo.compare EQ, %q, %p, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %v = stablehlo.and {2} : tensor<i1>
        %r = stablehlo.or %t, %v : tensor<i1>)",
                       direction, type, decided);
  };
  const auto expected = [](bool descending) {
    const std::vector<float> numbers = someNumbers();
    std::vector<int32_t> order = places();
    for (int64_t line = 0; line < kLines; ++line) {
      const auto begin = order.begin() + line * kLength;
      const float* own = numbers.data() + line * kLength;
      std::stable_sort(begin, begin + kLength, [&](int32_t i, int32_t j) {
        if (i % 7 != j % 7) return i % 7 < j % 7;
        return descending ? ascending(own[j], own[i]) : ascending(own[i], own[j]);
      });
    }
    return order;
  };
  EXPECT_EQ(sorted(comparator("LT", "TOTALORDER", "%u, %s")), expected(false));
  EXPECT_EQ(sorted(comparator("GT", "TOTALORDER", "%s, %u")), expected(true));
}

// EQ of the first key in another order than its LT: -0 and 0 are neither, so nothing comes before
// the other, and the keys do not decide one after the other.
TEST(SortKeys, OtherComparatorsAreCalled) {
  const std::string comparator = R"(
        %s = stablehlo.compare LT, %c, %d, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %t = stablehlo.compare LT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %u = stablehlo.compare EQ, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %v = stablehlo.and %u, %s : tensor<i1>
        %r = stablehlo.or %t, %v : tensor<i1>)";
  std::vector<float> numbers = someNumbers();
  for (float& number : numbers)
    if (std::isnan(number)) number = 1;
  const auto graph = evaluate(
      sorting(comparator, fmt::format("{}x{}", kLines, kLength)),
      {tensor(kF32, {kLines, kLength}, numbers), tensor(kI32, {kLines, kLength}, places())});
  std::vector<int32_t> order = places();
  for (int64_t line = 0; line < kLines; ++line) {
    const float* own = numbers.data() + line * kLength;
    std::stable_sort(order.begin() + line * kLength, order.begin() + (line + 1) * kLength,
                     [&](int32_t i, int32_t j) { return own[i] < own[j]; });
  }
  EXPECT_EQ(values<int32_t>(graph), order);
}

TEST(SortKeys, AnyFunctionOfOneElementIsAKey) {
  const std::string magnitude =
      "%p = stablehlo.abs %a : tensor<f32>\n"
      "%q = stablehlo.abs %b : tensor<f32>\n" +
      key("%p", "a") + key("%q", "b");
  EXPECT_EQ(sorted(magnitude + compared("LT", "%ka", "%kb")),
            byHand([](float a, float b) { return ascending(std::fabs(a), std::fabs(b)); }));
}

// Integers of each width, in lines of a few and of many.
template <typename T>
void expectSorted(ElementType type, std::string_view name) {
  std::mt19937_64 random(13);
  for (const int64_t length : {2, 5, 63, 64, 700}) {
    std::vector<T> numbers(static_cast<size_t>(2 * length));
    for (T& number : numbers) number = static_cast<T>(random() >> (random() % 64));
    for (const bool descending : {false, true}) {
      std::vector<T> expected = numbers;
      for (const auto line : {expected.begin(), expected.begin() + length})
        std::stable_sort(line, line + length, [&](T a, T b) { return descending ? b < a : a < b; });
      const std::string text = fmt::format(
          R"(func.func @main(%x: tensor<2x{0}x{1}>) -> tensor<2x{0}x{1}> {{
    %0 = "stablehlo.sort"(%x) <{{dimension = 1 : i64}}> ({{
      ^bb0(%a: tensor<{1}>, %b: tensor<{1}>):
        %r = stablehlo.compare {2}, %a, %b : (tensor<{1}>, tensor<{1}>) -> tensor<i1>
        stablehlo.return %r : tensor<i1>
    }}) : (tensor<2x{0}x{1}>) -> tensor<2x{0}x{1}>
    return %0 : tensor<2x{0}x{1}>
  }})",
          length, name, descending ? "GT" : "LT");
      EXPECT_EQ(values<T>(evaluate(text, {tensor(type, {2, length}, numbers)})), expected) << text;
    }
  }
}

TEST(SortKeys, IntegersOfEachWidth) {
  expectSorted<int8_t>(ElementType::kI8, "i8");
  expectSorted<uint8_t>(ElementType::kUi8, "ui8");
  expectSorted<int16_t>(ElementType::kI16, "i16");
  expectSorted<uint32_t>(ElementType::kUi32, "ui32");
  expectSorted<int64_t>(ElementType::kI64, "i64");
  expectSorted<uint64_t>(ElementType::kUi64, "ui64");
}

// Two functions give no key: the result is that of the comparator, as it is.
TEST(SortKeys, SidesOfTwoFunctionsAreNoKeys) {
  // No order at all: each negative number precedes each positive one, and itself.
  sorted("%q = stablehlo.abs %b : tensor<f32>\n" + key("%a", "a") + key("%q", "b") +
         compared("LT", "%ka", "%kb"));
  // Keys of both elements, or of another operand than the compared one.
  sorted("%q = stablehlo.add %a, %b : tensor<f32>\n" + compared("LT", "%a", "%q", "FLOAT"));
  sorted("%p = stablehlo.convert %c : (tensor<i32>) -> tensor<f32>\n" +
         compared("LT", "%p", "%b", "FLOAT"));
}

TEST(SortKeys, KeysOfTheSecondOperand) {
  std::vector<int32_t> expected = places();
  for (int64_t line = 0; line < kLines; ++line)
    std::reverse(expected.begin() + line * kLength, expected.begin() + (line + 1) * kLength);
  EXPECT_EQ(sorted("%p = stablehlo.convert %c : (tensor<i32>) -> tensor<f32>\n"
                   "%q = stablehlo.convert %d : (tensor<i32>) -> tensor<f32>\n" +
                   compared("GT", "%p", "%q", "FLOAT")),
            expected);
}

}  // namespace
}  // namespace vintage::tests::engine_test::sort_keys
