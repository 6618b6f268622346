// Reduce, windows, scatter and sort: typed paths (graph mode) against the
// regions as they are written (eager mode), and against loops written here.
#include <algorithm>
#include <bit>
#include <complex>
#include <limits>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "golden/tensor/float_formats.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;

namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

Tensor randomIntegers(Shape shape, uint32_t seed, int32_t most = 1000) {
  Tensor result(ElementType::kI32, std::move(shape));
  std::mt19937 random(seed);
  for (int32_t& value : result.mutableValues<int32_t>())
    value = static_cast<int32_t>(random() % static_cast<uint32_t>(2 * most)) - most;
  return result;
}

// By insertion.
template <typename Less>
void stableSort(std::vector<int32_t>& values, Less less) {
  for (size_t i = 1; i < values.size(); ++i)
    for (size_t j = i; j > 0 && less(values[j], values[j - 1]); --j)
      std::swap(values[j], values[j - 1]);
}

std::string reduceText(const char* operation, const char* dimensions, const char* result) {
  return fmt::format(R"(
    func.func @main(%x: tensor<3x4x5xi32>, %z: tensor<i32>) -> tensor<{2}i32> {{
      %r = "stablehlo.reduce"(%x, %z) <{{dimensions = array<i64: {1}>}}> ({{
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %c = {0} %a, %b : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }}) : (tensor<3x4x5xi32>, tensor<i32>) -> tensor<{2}i32>
      return %r : tensor<{2}i32>
    }})",
                     operation, dimensions, result);
}

TEST(Reduce, EveryChoiceOfDimensionsAndOperation) {
  const Tensor x = randomIntegers({3, 4, 5}, 3);
  const auto in = values<int32_t>(x);
  const std::vector<std::pair<std::string, std::function<int32_t(int32_t, int32_t)>>> kOperations =
      {{"stablehlo.add", [](int32_t a, int32_t b) { return a + b; }},
       {"stablehlo.maximum", [](int32_t a, int32_t b) { return std::max(a, b); }},
       {"stablehlo.minimum", [](int32_t a, int32_t b) { return std::min(a, b); }},
       {"stablehlo.xor", [](int32_t a, int32_t b) { return a ^ b; }},
       {"stablehlo.or", [](int32_t a, int32_t b) { return a | b; }}};
  for (const auto& [name, function] : kOperations) {
    for (int mask = 0; mask < 8; ++mask) {
      std::string dimensions, result;
      Shape kept;
      const int64_t shape[] = {3, 4, 5};
      for (int d = 0; d < 3; ++d) {
        if (mask >> d & 1) {
          dimensions += fmt::format("{}{}", dimensions.empty() ? "" : ", ", d);
        } else {
          kept.push_back(shape[d]);
          result += fmt::format("{}x", shape[d]);
        }
      }
      std::string text = reduceText(name.c_str(), dimensions.c_str(), result.c_str());
      if (dimensions.empty()) {
        const size_t at = text.find("array<i64: >");
        text.replace(at, 12, "array<i64>");
      }
      std::vector<int32_t> expected(static_cast<size_t>(elementCount(kept)), 0);
      for (int64_t i = 0; i < 60; ++i) {
        const int64_t index[] = {i / 20, i / 5 % 4, i % 5};
        int64_t place = 0;
        for (int d = 0; d < 3; ++d)
          if (!(mask >> d & 1)) place = place * shape[d] + index[d];
        int32_t& value = expected[static_cast<size_t>(place)];
        value = function(value, in[static_cast<size_t>(i)]);
      }
      const Tensor out = evaluate(text, {x, ints({}, {0})});
      EXPECT_THAT(values<int32_t>(out), ElementsAreArray(expected)) << name << " " << mask;
    }
  }
}

// A mean over 250,000 equal float32 was 0.4 % off, and a sum of bfloat16 stopped at 256: each
// element was added in order and rounded, which no runtime does.
// Long rows are reduced in parts; the first NaN of a row is its maximum, as without parts.
TEST(Reduce, MaximaOfLongRows) {
  const int64_t length = 1003;
  std::vector<float> numbers;
  for (int row = 0; row < 4; ++row)
    for (int64_t i = 0; i < length; ++i)
      numbers.push_back(static_cast<float>((i * 37 + row * 11) % 1009) - 500);
  std::fill_n(numbers.begin() + 2 * length, length, -0.0F);
  numbers[static_cast<size_t>(2 * length + 700)] = 0.0F;
  numbers[static_cast<size_t>(3 * length + 500)] = std::bit_cast<float>(0x7FC00005);
  numbers[static_cast<size_t>(3 * length + 100)] = std::bit_cast<float>(0xFFC00007);
  const Tensor input = tensor(ElementType::kF32, {4, length}, numbers);
  const auto found = values<float>(evaluate(R"(
    func.func @main(%x: tensor<4x1003xf32>) -> tensor<4xf32> {
      %z = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %r = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %c = stablehlo.maximum %a, %b : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }) : (tensor<4x1003xf32>, tensor<f32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    })",
                                            {input}));
  ASSERT_EQ(found.size(), 4u);
  for (size_t row = 0; row < 2; ++row)
    EXPECT_EQ(found[row],
              *std::max_element(numbers.begin() + static_cast<int64_t>(row) * length,
                                numbers.begin() + static_cast<int64_t>(row + 1) * length));
  EXPECT_EQ(std::bit_cast<uint32_t>(found[2]), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(found[3]), 0xFFC00007u);
}

TEST(Reduce, SumsAreRoundedOnce) {
  const auto sum = [](const Tensor& x, const Shape& result, const char* dimensions) {
    const std::string element(stablehloName(x.type()));
    const auto type = [&](const Shape& shape) {
      std::string text = "tensor<";
      for (const int64_t size : shape) text += fmt::format("{}x", size);
      return text + element + ">";
    };
    const std::string zero = x.type() == ElementType::kC64 ? "(0.0, 0.0)" : std::string("0.0");
    return evaluate(fmt::format(R"(
    func.func @main(%x: {0}) -> {1} {{
      %z = stablehlo.constant dense<{4}> : {2}
      %r = "stablehlo.reduce"(%x, %z) <{{dimensions = array<i64: {3}>}}> ({{
      ^bb0(%a: {2}, %b: {2}):
        %c = stablehlo.add %a, %b : {2}
        stablehlo.return %c : {2}
      }}) : ({0}, {2}) -> {1}
      return %r : {1}
    }})",
                                type(x.shape()), type(result), type({}), dimensions, zero),
                    {x});
  };
  const Shape kShape = {2003, 9};
  const std::vector<float> kHundreds(2003 * 9, 500.1F);
  const Tensor rows = tensor(ElementType::kF32, {9, 2003}, kHundreds);
  const Tensor columns = tensor(ElementType::kF32, kShape, kHundreds);
  const auto exact = static_cast<float>(2003 * static_cast<double>(500.1F));
  EXPECT_THAT(values<float>(sum(rows, {9}, "1")), ::testing::Each(exact));
  EXPECT_THAT(values<float>(sum(columns, {9}, "0")), ::testing::Each(exact));
  EXPECT_EQ(values<float>(sum(columns, {}, "0, 1"))[0],
            static_cast<float>(9 * 2003 * static_cast<double>(500.1F)));

  const Tensor ones = tensor(ElementType::kBF16, {1000}, std::vector<BFloat16>(1000, BFloat16(1)));
  EXPECT_EQ(static_cast<float>(values<BFloat16>(sum(ones, {}, "0"))[0]), 1000);
  const Tensor halves = tensor(ElementType::kF16, {5000}, std::vector<Float16>(5000, Float16(.5F)));
  EXPECT_EQ(static_cast<float>(values<Float16>(sum(halves, {}, "0"))[0]), 2500);

  using Single = std::complex<float>;
  const Tensor pairs = tensor(ElementType::kC64, {3000}, std::vector<Single>(3000, {0.1F, -0.7F}));
  EXPECT_EQ(values<Single>(sum(pairs, {}, "0"))[0],
            Single(3000.0 * std::complex<double>(Single(0.1F, -0.7F))));
}

TEST(Reduce, ArgmaxCarriesTwoValues) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<2x4xf32>) -> tensor<2xi32> {
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %i = stablehlo.iota dim = 1 : tensor<2x4xi32>
      %r:2 = "stablehlo.reduce"(%x, %i, %low, %zero) <{dimensions = array<i64: 1>}> ({
      ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: tensor<f32>, %bi: tensor<i32>):
        %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
        %k = stablehlo.select %p, %ai, %bi : tensor<i1>, tensor<i32>
        stablehlo.return %v, %k : tensor<f32>, tensor<i32>
      }) : (tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
      return %r#1 : tensor<2xi32>
    })",
                                 {floats({2, 4}, {1, 5, 5, 2, 9, 0, 3, 9})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(1, 0));
}

TEST(ReduceWindow, DilationsStridesAndPadding) {
  // Padded with one 0 on each side; windows of elements 0, 2 every second place.
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<6xi32>) -> tensor<3xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 2>,
          window_strides = array<i64: 2>, window_dilations = array<i64: 2>,
          padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) : (tensor<6xi32>, tensor<i32>) -> tensor<3xi32>
      return %r : tensor<3xi32>
    })",
                                 {ints({6}, {1, 2, 3, 4, 5, 6})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(0 + 2, 2 + 4, 4 + 6));
}

// Products of complex numbers cancel: rounded at each factor, the last of these
// would be several ulps off. Both modes round once.
TEST(ReduceWindow, ComplexProductsAreRoundedOnce) {
  using Single = std::complex<float>;
  constexpr int64_t kRows = 12, kColumns = 16;
  std::mt19937 random(3);
  std::uniform_real_distribution<float> uniform(-4, 4);
  std::vector<Single> factors(kRows * kColumns);
  for (Single& factor : factors) factor = {uniform(random), uniform(random)};
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<12x16xcomplex<f32>>) -> tensor<12x16xcomplex<f32>> {
      %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
      %r = "stablehlo.reduce_window"(%x, %one) <{window_dimensions = array<i64: 12, 1>,
          padding = dense<[[11, 0], [0, 0]]> : tensor<2x2xi64>}> ({
        ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
          %c = stablehlo.multiply %a, %b : tensor<complex<f32>>
          stablehlo.return %c : tensor<complex<f32>>
      }) : (tensor<12x16xcomplex<f32>>, tensor<complex<f32>>) -> tensor<12x16xcomplex<f32>>
      return %r : tensor<12x16xcomplex<f32>>
    })",
                                 {tensor<Single>(ElementType::kC64, {kRows, kColumns}, factors)});
  const auto actual = values<Single>(result);
  for (int64_t column = 0; column < kColumns; ++column) {
    std::complex<long double> product = 1;
    for (int64_t row = 0; row < kRows; ++row) {
      const int64_t at = row * kColumns + column;
      product *= std::complex<long double>(factors[at]);
      EXPECT_EQ(actual[at], Single(product)) << "row " << row << ", column " << column;
    }
  }
}

TEST(SelectAndScatter, NeverSelectsPadding) {
  // All elements are below the padding's 0, which must not win.
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<4xi32>, %s: tensor<3xi32>) -> tensor<4xi32> {
      %z = stablehlo.constant dense<0> : tensor<i32>
      %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 2>,
          window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }, {
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.add %a, %b : tensor<i32>
          stablehlo.return %c : tensor<i32>
      }) : (tensor<4xi32>, tensor<3xi32>, tensor<i32>) -> tensor<4xi32>
      return %r : tensor<4xi32>
    })",
                                 {ints({4}, {-5, -2, -3, -4}), ints({3}, {10, 20, 30})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(10, 20, 0, 30));
}

constexpr const char* kScatter = R"(
    func.func @main(%x: tensor<5xi32>, %i: tensor<4x1xi32>, %u: tensor<4xi32>) -> tensor<5xi32> {{
      %r = "stablehlo.scatter"(%x, %i, %u) <{{scatter_dimension_numbers = #stablehlo.scatter<
          inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> ({{
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          {}
          stablehlo.return {} : tensor<i32>
      }}) : (tensor<5xi32>, tensor<4x1xi32>, tensor<4xi32>) -> tensor<5xi32>
      return %r : tensor<5xi32>
    }})";

TEST(Scatter, DuplicatesInOrderAndOutOfBoundsLeftOut) {
  const std::vector<Tensor> inputs = {ints({5}, {0, 10, 20, 30, 40}), ints({4, 1}, {1, 1, -1, 5}),
                                      ints({4}, {7, 8, 9, 9})};
  EXPECT_THAT(values<int32_t>(evaluate(
                  fmt::format(kScatter, "%c = stablehlo.add %a, %b : tensor<i32>", "%c"), inputs)),
              ElementsAre(0, 25, 20, 30, 40));
  EXPECT_THAT(values<int32_t>(evaluate(fmt::format(kScatter, "", "%b"), inputs)),
              ElementsAre(0, 8, 20, 30, 40));
}

TEST(Gather, ClampsStartsAndBatches) {
  const Tensor result =
      evaluate(R"(
    func.func @main(%x: tensor<2x4xi32>, %i: tensor<2x1xi32>) -> tensor<2x2xi32> {
      %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
          operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1],
          index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}>
          : (tensor<2x4xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
      return %r : tensor<2x2xi32>
    })",
               {ints({2, 4}, {0, 1, 2, 3, 10, 11, 12, 13}), ints({2, 1}, {1, 99})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(1, 2, 12, 13));
}

TEST(Sort, StableByOneOperandInEitherDirection) {
  for (const char* direction : {"LT", "GT"}) {
    Tensor keys = randomIntegers({64}, 5, 4);
    Tensor places(ElementType::kI32, {64});
    auto numbers = places.mutableValues<int32_t>();
    std::iota(numbers.begin(), numbers.end(), 0);
    const Tensor out = evaluate(fmt::format(R"(
      func.func @main(%k: tensor<64xi32>, %p: tensor<64xi32>) -> tensor<64xi32> {{
        %r:2 = "stablehlo.sort"(%k, %p) <{{dimension = 0 : i64, is_stable = true}}> ({{
          ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
            %l = stablehlo.compare {}, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %l : tensor<i1>
        }}) : (tensor<64xi32>, tensor<64xi32>) -> (tensor<64xi32>, tensor<64xi32>)
        return %r#1 : tensor<64xi32>
      }})",
                                            direction),
                                {keys, places});
    std::vector<int32_t> expected(64);
    std::iota(expected.begin(), expected.end(), 0);
    const auto key = values<int32_t>(keys);
    stableSort(expected, [&](int32_t a, int32_t b) {
      const int32_t x = key[static_cast<size_t>(a)], y = key[static_cast<size_t>(b)];
      return direction[0] == 'L' ? x < y : x > y;
    });
    EXPECT_EQ(values<int32_t>(out), expected) << direction;
  }
}

// As NumPy sorts: the zeros and the NaN stay in the order that they came in.
TEST(Sort, WeakOrderKeepsZerosAndNanStable) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  Tensor keys(ElementType::kF32, {7});
  std::ranges::copy(std::vector<float>{kNan, 0.0f, 2, -0.0f, -kNan, -1, 0.0f},
                    keys.mutableValues<float>().begin());
  Tensor places(ElementType::kI32, {7});
  auto numbers = places.mutableValues<int32_t>();
  std::iota(numbers.begin(), numbers.end(), 0);
  const auto sorted = [&](const char* direction) {
    return values<int32_t>(evaluate(fmt::format(R"(
      func.func @main(%k: tensor<7xf32>, %p: tensor<7xi32>) -> tensor<7xi32> {{
        %r:2 = "stablehlo.sort"(%k, %p) <{{dimension = 0 : i64, is_stable = true}}> ({{
          ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
            %l = stablehlo.compare {}, %a, %b, WEAKORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
            stablehlo.return %l : tensor<i1>
        }}) : (tensor<7xf32>, tensor<7xi32>) -> (tensor<7xf32>, tensor<7xi32>)
        return %r#1 : tensor<7xi32>
      }})",
                                                direction),
                                    {keys, places}));
  };
  EXPECT_THAT(sorted("LT"), ElementsAre(5, 1, 3, 6, 2, 0, 4));
  EXPECT_THAT(sorted("GT"), ElementsAre(0, 4, 2, 1, 3, 6, 5));
}

TEST(Sort, AnyComparatorAlongAnyDimension) {
  // By remainder modulo 7, which is no comparison of one pair.
  const Tensor x = randomIntegers({3, 20, 2}, 9);
  const Tensor out = evaluate(R"(
    func.func @main(%x: tensor<3x20x2xi32>) -> tensor<3x20x2xi32> {
      %r = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %m = stablehlo.constant dense<7> : tensor<i32>
          %c = stablehlo.remainder %a, %m : tensor<i32>
          %d = stablehlo.remainder %b, %m : tensor<i32>
          %l = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %l : tensor<i1>
      }) : (tensor<3x20x2xi32>) -> tensor<3x20x2xi32>
      return %r : tensor<3x20x2xi32>
    })",
                              {x});
  const auto in = values<int32_t>(x), sorted = values<int32_t>(out);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t k = 0; k < 2; ++k) {
      std::vector<int32_t> line, actual;
      for (size_t j = 0; j < 20; ++j) {
        line.push_back(in[(i * 20 + j) * 2 + k]);
        actual.push_back(sorted[(i * 20 + j) * 2 + k]);
      }
      stableSort(line, [](int32_t a, int32_t b) { return a % 7 < b % 7; });
      EXPECT_EQ(actual, line);
    }
  }
}

TEST(Map, AppliesItsRegionToEveryElement) {
  const Tensor x = randomIntegers({5, 7}, 21);
  const Tensor out = evaluate(R"(
    func.func @main(%x: tensor<5x7xi32>) -> tensor<5x7xi32> {
      %r = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
        ^bb0(%a: tensor<i32>, %b: tensor<i32>):
          %c = stablehlo.multiply %a, %b : tensor<i32>
          %d = stablehlo.subtract %c, %a : tensor<i32>
          stablehlo.return %d : tensor<i32>
      }) : (tensor<5x7xi32>, tensor<5x7xi32>) -> tensor<5x7xi32>
      return %r : tensor<5x7xi32>
    })",
                              {x});
  auto expected = values<int32_t>(x);
  for (int32_t& value : expected) value = value * value - value;
  EXPECT_EQ(values<int32_t>(out), expected);
}

}  // namespace
}  // namespace vintage::tests::engine_test
