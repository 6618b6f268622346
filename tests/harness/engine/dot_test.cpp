#include <complex>
#include <random>

#include "golden/tensor/visit.h"
#include "harness/engine/operations/dot_general.h"
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

// Small whole numbers, which every type but the narrowest holds exactly.
Tensor randomTensor(ElementType type, const Shape& shape, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int> digit(
      isUnsignedInteger(type) || type == ElementType::kI1 ? 0 : -2,
      type == ElementType::kI1 ? 1 : 2);
  Tensor tensor(type, shape);
  visitElementType(type, [&]<typename T>() {
    for (T& value : tensor.mutableValues<T>()) {
      if constexpr (kIsComplexStorage<T>) {
        using Part = typename T::value_type;
        value = T(static_cast<Part>(digit(random)), static_cast<Part>(digit(random)));
      } else if constexpr (kIsPredicateStorage<T>) {
        value = T(digit(random) != 0);
      } else {
        value = T(static_cast<int64_t>(digit(random)));
      }
    }
  });
  return tensor;
}

using C = std::complex<long double>;

C element(const Tensor& tensor, int64_t index) {
  return visitElementType(tensor.type(), [&]<typename T>() -> C {
    const T value = tensor.values<T>()[index];
    if constexpr (kIsComplexStorage<T>)
      return {value.real(), value.imag()};
    else if constexpr (kIsPredicateStorage<T>)
      return value ? 1.0L : 0.0L;
    else
      return static_cast<long double>(static_cast<Computation<T>>(value));
  });
}

int64_t offset(const Shape& shape, const std::vector<int64_t>& index) {
  int64_t place = 0;
  for (size_t i = 0; i < shape.size(); ++i) place = place * shape[i] + index[i];
  return place;
}

bool next(const Shape& shape, std::vector<int64_t>& index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i]) return true;
    index[i] = 0;
  }
  return false;
}

// The defining sum for each element of the result, index by index.
void expectDefiningSum(const Tensor& left, const Tensor& right, const DotDimensionNumbers& d,
                       const Tensor& actual) {
  std::vector<int64_t> index(actual.shape().size(), 0);
  Shape inner;
  for (int64_t dimension : d.leftContracting) inner.push_back(left.shape()[dimension]);
  do {
    std::vector<int64_t> l(left.shape().size()), r(right.shape().size());
    size_t at = 0;
    for (size_t i = 0; i < d.leftBatch.size(); ++i, ++at)
      l[d.leftBatch[i]] = r[d.rightBatch[i]] = index[at];
    const auto isIn = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b, int64_t i) {
      return std::ranges::count(a, i) + std::ranges::count(b, i) > 0;
    };
    for (int64_t i = 0; i < left.rank(); ++i) {
      if (!isIn(d.leftBatch, d.leftContracting, i)) l[i] = index[at++];
    }
    for (int64_t i = 0; i < right.rank(); ++i) {
      if (!isIn(d.rightBatch, d.rightContracting, i)) r[i] = index[at++];
    }
    C sum = 0;
    std::vector<int64_t> k(inner.size(), 0);
    if (elementCount(inner) > 0) {
      do {
        for (size_t i = 0; i < k.size(); ++i) {
          l[d.leftContracting[i]] = k[i];
          r[d.rightContracting[i]] = k[i];
        }
        sum += element(left, offset(left.shape(), l)) * element(right, offset(right.shape(), r));
      } while (next(inner, k));
    }
    if (actual.type() == ElementType::kI1) sum = sum != C(0) ? 1.0L : 0.0L;
    ASSERT_EQ(element(actual, offset(actual.shape(), index)), sum)
        << describe(left) << " x " << describe(right);
  } while (next(actual.shape(), index));
}

TEST(DotGeneral, IsTheDefiningSumInEveryTypeThatHoldsIt) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    const auto type = static_cast<ElementType>(i);
    // Sums of up to 12 products of ±2 leave the formats below eight bits, and
    // those of eight with less than five bits of fraction are rounded.
    if (bitWidth(type) < 8 && type != ElementType::kI1) continue;
    if (isFloat(type) && bitWidth(type) == 8) continue;
    const Tensor left = randomTensor(type, {2, 3, 4}, i),
                 right = randomTensor(type, {2, 4, 5}, i + 100);
    const DotDimensionNumbers d{{0}, {0}, {2}, {1}};
    const auto result = dotGeneral(left, right, d, type, {});
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_EQ(result->shape(), (Shape{2, 3, 5}));
    expectDefiningSum(left, right, d, *result);
  }
}

TEST(DotGeneral, TakesDimensionsInAnyOrder) {
  struct Case {
    Shape left, right;
    DotDimensionNumbers dimensions;
  };
  const Case cases[] = {
      {{4}, {4}, {{}, {}, {0}, {0}}},
      {{3}, {2}, {{}, {}, {}, {}}},
      {{4, 3}, {4, 5}, {{}, {}, {0}, {0}}},
      {{3, 4}, {5, 4}, {{}, {}, {1}, {1}}},
      {{8, 4, 3, 3, 4}, {4, 8, 3, 4, 2}, {{0, 1}, {1, 0}, {4, 3}, {3, 2}}},
      {{3, 2, 4}, {4, 5, 2}, {{1}, {2}, {2}, {0}}},
      {{2, 0}, {0, 3}, {{}, {}, {1}, {0}}},
      {{}, {}, {{}, {}, {}, {}}},
  };
  for (const Case& c : cases) {
    for (ElementType type : {ElementType::kF32, ElementType::kI32, ElementType::kC128}) {
      const Tensor left = randomTensor(type, c.left, 1), right = randomTensor(type, c.right, 2);
      const auto result = dotGeneral(left, right, c.dimensions, type, {});
      ASSERT_TRUE(result.has_value()) << result.error().message;
      expectDefiningSum(left, right, c.dimensions, *result);
    }
  }
}

TEST(DotGeneral, LargeProductsThroughBlasAreTheSameOnWholeNumbers) {
  for (ElementType type :
       {ElementType::kF32, ElementType::kF64, ElementType::kC64, ElementType::kC128}) {
    for (const DotDimensionNumbers& d :
         {DotDimensionNumbers{{}, {}, {1}, {0}}, DotDimensionNumbers{{}, {}, {0}, {1}},
          DotDimensionNumbers{{}, {}, {1}, {1}}, DotDimensionNumbers{{}, {}, {0}, {0}}}) {
      const Tensor left = randomTensor(type, {30, 30}, 3), right = randomTensor(type, {30, 30}, 4);
      const auto result = dotGeneral(left, right, d, type, {});
      ASSERT_TRUE(result.has_value());
      expectDefiningSum(left, right, d, *result);
    }
  }
}

TEST(DotGeneral, SumsNarrowFloatsInFloatAndRoundsOnce) {
  // 256 + 1 + 1 … is lost in bf16 step by step, and kept in a float sum.
  Tensor left(ElementType::kBF16, {257}), right(ElementType::kBF16, {257});
  for (auto& value : left.mutableValues<BFloat16>()) value = BFloat16(1.0f);
  for (auto& value : right.mutableValues<BFloat16>()) value = BFloat16(1.0f);
  left.mutableValues<BFloat16>()[0] = BFloat16(256.0f);
  const auto result = dotGeneral(left, right, {{}, {}, {0}, {0}}, ElementType::kBF16, {});
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(static_cast<float>(result->values<BFloat16>()[0]), 512.0f);
  const auto wide = dotGeneral(left, right, {{}, {}, {0}, {0}}, ElementType::kF32, {});
  ASSERT_TRUE(wide.has_value());
  EXPECT_EQ(wide->values<float>()[0], 512.0f);
}

TEST(DotGeneral, IntegersWrapAround) {
  const Tensor big = filled<int8_t>(ElementType::kI8, {2}, {100, 100});
  const DotDimensionNumbers d{{}, {}, {0}, {0}};
  const auto narrow = dotGeneral(big, big, d, ElementType::kI8, {});
  ASSERT_TRUE(narrow.has_value());
  EXPECT_EQ(narrow->values<int8_t>()[0], static_cast<int8_t>(20000 & 0xFF));
  const auto wide = dotGeneral(big, big, d, ElementType::kI32, {});
  ASSERT_TRUE(wide.has_value());
  EXPECT_EQ(wide->values<int32_t>()[0], 20000);
}

TEST(DotGeneral, AlgorithmsRoundTheirOperands) {
  const Tensor x = floats({1}, {1.0f + 0x1p-9f});
  const Tensor one = floats({1}, {1.0f});
  const DotDimensionNumbers d{{}, {}, {0}, {0}};
  using Rounding = DotAlgorithm::Rounding;
  EXPECT_EQ(dotGeneral(x, one, d, ElementType::kF32, {})->values<float>()[0], 1.0f + 0x1p-9f);
  EXPECT_EQ(dotGeneral(x, one, d, ElementType::kF32, {Rounding::kBF16, Rounding::kBF16, {}})
                ->values<float>()[0],
            1.0f);
  EXPECT_EQ(dotGeneral(x, one, d, ElementType::kF32, {Rounding::kTF32, Rounding::kTF32, {}})
                ->values<float>()[0],
            1.0f + 0x1p-9f);
}

TEST(DotGeneral, RefusesDimensionsThatDoNotFit) {
  const Tensor left(ElementType::kF32, {2, 3}), right(ElementType::kF32, {4, 5});
  EXPECT_FALSE(dotGeneral(left, right, {{}, {}, {1}, {0}}, ElementType::kF32, {}));
  EXPECT_FALSE(dotGeneral(left, right, {{}, {}, {2}, {0}}, ElementType::kF32, {}));
  EXPECT_FALSE(dotGeneral(left, right, {{}, {}, {-1}, {0}}, ElementType::kF32, {}));
  EXPECT_FALSE(dotGeneral(left, left, {{0}, {0}, {0}, {0}}, ElementType::kF32, {}));
  EXPECT_FALSE(dotGeneral(left, left, {{}, {}, {0, 1}, {0}}, ElementType::kF32, {}));
  EXPECT_FALSE(dotGeneral(left, left, {{}, {}, {0}, {0}}, ElementType::kI32, {}));
}

TEST(DotGeneral, KeepsToItsLimit) {
  const Tensor line(ElementType::kF32, {1000});
  EXPECT_TRUE(dotGeneral(line, line, {{}, {}, {}, {}}, ElementType::kF32, {}, 4000000));
  const auto tooLarge = dotGeneral(line, line, {{}, {}, {}, {}}, ElementType::kF32, {}, 3999999);
  ASSERT_FALSE(tooLarge.has_value());
  EXPECT_EQ(tooLarge.error().kind, Error::Kind::kResource);
}

TEST(Dot, MultipliesVectorsAndMatricesFromText) {
  const Tensor m = floats({2, 2}, {1, 2, 3, 4});
  const Tensor v = floats({2}, {5, 6});
  const auto outputs = runMain(
      "(%m: tensor<2x2xf32>, %v: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<f32>, "
      "tensor<2x2xf32>)",
      "%0 = stablehlo.dot %m, %v : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
      "%1 = stablehlo.dot %v, %m : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>\n"
      "%2 = stablehlo.dot %v, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>\n"
      "%3 = stablehlo.dot_general %m, %m, contracting_dims = [0] x [0], precision = [HIGHEST, "
      "HIGHEST] : "
      "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\n"
      "return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<f32>, tensor<2x2xf32>",
      {m, v});
  EXPECT_THAT(valuesOf<float>(outputs[0]), testing::ElementsAre(17, 39));
  EXPECT_THAT(valuesOf<float>(outputs[1]), testing::ElementsAre(23, 34));
  EXPECT_THAT(valuesOf<float>(outputs[2]), testing::ElementsAre(61));
  EXPECT_THAT(valuesOf<float>(outputs[3]), testing::ElementsAre(10, 14, 14, 20));
}

TEST(Einsum, SumsTransposesAndTakesDiagonals) {
  const Tensor m = floats({2, 2}, {1, 2, 3, 4});
  const auto binary = [&](const std::string& form, const std::string& type) {
    const auto outputs =
        runMain("(%m: tensor<2x2xf32>) -> " + type,
                "%0 = stablehlo.einsum %m, %m, config = \"" + form +
                    "\" : (tensor<2x2xf32>, tensor<2x2xf32>) -> " + type + "\n return %0 : " + type,
                {m});
    return valuesOf<float>(outputs[0]);
  };
  const auto unary = [&](const std::string& form, const std::string& type) {
    const auto outputs =
        runMain("(%m: tensor<2x2xf32>) -> " + type,
                "%0 = \"stablehlo.unary_einsum\"(%m) {einsum_config = \"" + form +
                    "\"} : (tensor<2x2xf32>) -> " + type + "\n return %0 : " + type,
                {m});
    return valuesOf<float>(outputs[0]);
  };
  using testing::ElementsAre;
  EXPECT_THAT(binary("ij,jk->ik", "tensor<2x2xf32>"), ElementsAre(7, 10, 15, 22));
  EXPECT_THAT(binary("ij,jk->ki", "tensor<2x2xf32>"), ElementsAre(7, 15, 10, 22));
  EXPECT_THAT(binary("ij,ij->ij", "tensor<2x2xf32>"), ElementsAre(1, 4, 9, 16));
  EXPECT_THAT(binary("ij,kl->il", "tensor<2x2xf32>"), ElementsAre(12, 18, 28, 42));
  EXPECT_THAT(binary("ii,ij->j", "tensor<2xf32>"), ElementsAre(13, 18));
  EXPECT_THAT(unary("ij->ji", "tensor<2x2xf32>"), ElementsAre(1, 3, 2, 4));
  EXPECT_THAT(unary("ij->j", "tensor<2xf32>"), ElementsAre(4, 6));
  EXPECT_THAT(unary("ii->i", "tensor<2xf32>"), ElementsAre(1, 4));
  EXPECT_THAT(unary("ii->", "tensor<f32>"), ElementsAre(5));
}

}  // namespace
}  // namespace vintage::tests
