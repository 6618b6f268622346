// Operations that move elements.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/run_text.h"

namespace vintage::tests::engine_test {
using namespace golden;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor counting(Shape shape) {
  Tensor result(ElementType::kI32, std::move(shape));
  int32_t next = 0;
  for (int32_t& value : result.mutableValues<int32_t>()) value = next++;
  return result;
}

TEST(Shape, TransposeThereAndBack) {
  const Tensor x = counting({2, 3, 4});
  const Tensor once = evaluate(R"(
    func.func @main(%x: tensor<2x3x4xi32>) -> tensor<4x2x3xi32> {
      %r = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<2x3x4xi32>) -> tensor<4x2x3xi32>
      return %r : tensor<4x2x3xi32>
    })",
                               {x});
  const auto out = values<int32_t>(once);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 3; ++k)
        EXPECT_EQ(out[static_cast<size_t>(i * 6 + j * 3 + k)], j * 12 + k * 4 + i);
  const Tensor back = evaluate(R"(
    func.func @main(%x: tensor<4x2x3xi32>) -> tensor<2x3x4xi32> {
      %r = stablehlo.transpose %x, dims = [1, 2, 0] : (tensor<4x2x3xi32>) -> tensor<2x3x4xi32>
      return %r : tensor<2x3x4xi32>
    })",
                               {once});
  EXPECT_TRUE(back.identical(x));
}

// Larger than the tiles of a transposition, and no multiple of them.
TEST(Shape, TransposeOfManyTiles) {
  const Tensor x = counting({3, 70, 45});
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<3x70x45xi32>) -> tensor<45x3x70xi32> {
      %r = stablehlo.transpose %x, dims = [2, 0, 1] : (tensor<3x70x45xi32>) -> tensor<45x3x70xi32>
      return %r : tensor<45x3x70xi32>
    })",
                                 {x});
  const auto out = values<int32_t>(result);
  for (int i = 0; i < 45; ++i)
    for (int j = 0; j < 210; ++j) ASSERT_EQ(out[static_cast<size_t>(i * 210 + j)], j * 45 + i);
}

TEST(Shape, PadInsertsCutsAndSpreads) {
  // low -1 cuts the first, interior 1 spreads, high 2 appends.
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<3xi32>) -> tensor<6xi32> {
      %p = stablehlo.constant dense<9> : tensor<i32>
      %r = stablehlo.pad %x, %p, low = [-1], high = [2], interior = [1]
          : (tensor<3xi32>, tensor<i32>) -> tensor<6xi32>
      return %r : tensor<6xi32>
    })",
                                 {counting({3})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(9, 1, 9, 2, 9, 9));
}

TEST(Shape, PadMayCutEverything) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<3xi32>) -> tensor<2xi32> {
      %p = stablehlo.constant dense<9> : tensor<i32>
      %r = stablehlo.pad %x, %p, low = [-4], high = [3], interior = [0]
          : (tensor<3xi32>, tensor<i32>) -> tensor<2xi32>
      return %r : tensor<2xi32>
    })",
                                 {counting({3})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(9, 9));
}

TEST(Shape, SliceReverseConcatenate) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<2x5xi32>) -> tensor<2x5xi32> {
      %s = stablehlo.slice %x [0:2, 0:5:2] : (tensor<2x5xi32>) -> tensor<2x3xi32>
      %r = stablehlo.reverse %s, dims = [1] : tensor<2x3xi32>
      %t = stablehlo.slice %x [0:2, 1:3] : (tensor<2x5xi32>) -> tensor<2x2xi32>
      %c = stablehlo.concatenate %r, %t, dim = 1
          : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
      return %c : tensor<2x5xi32>
    })",
                                 {counting({2, 5})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(4, 2, 0, 1, 2, 9, 7, 5, 6, 7));
}

TEST(Shape, BroadcastRepeatsAndPlaces) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<2x1xi32>) -> tensor<2x3x2xi32> {
      %r = stablehlo.broadcast_in_dim %x, dims = [2, 1] : (tensor<2x1xi32>) -> tensor<2x3x2xi32>
      return %r : tensor<2x3x2xi32>
    })",
                                 {counting({2, 1})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
}

TEST(Shape, DynamicSlicesAreClamped) {
  const char* text = R"(
    func.func @main(%x: tensor<5xi32>, %i: tensor<i32>) -> tensor<2xi32> {
      %r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
      return %r : tensor<2xi32>
    })";
  for (const auto& [start, first] : {std::pair{-3, 0}, {2, 2}, {4, 3}, {INT32_MAX, 3}}) {
    const Tensor out = evaluate(text, {counting({5}), ints({}, {start})});
    EXPECT_THAT(values<int32_t>(out), ElementsAre(first, first + 1)) << start;
  }
}

TEST(Shape, DynamicSizesComeFromOperands) {
  const Tensor result = evaluate(R"(
    func.func @main(%n: tensor<2xi64>) -> tensor<?x?xf32> {
      %i = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi64>) -> tensor<?x?xf32>
      return %i : tensor<?x?xf32>
    })",
                                 {tensor<int64_t>(ElementType::kI64, {2}, {2, 3})});
  EXPECT_EQ(result.shape(), (Shape{2, 3}));
  EXPECT_THAT(values<float>(result), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(Shape, AbsurdDynamicSizesAreRefused) {
  const char* text = R"(
    func.func @main(%n: tensor<2xi64>) -> tensor<?x?xf32> {
      %i = stablehlo.dynamic_iota %n, dim = 1 : (tensor<2xi64>) -> tensor<?x?xf32>
      return %i : tensor<?x?xf32>
    })";
  auto huge = run(text, {tensor<int64_t>(ElementType::kI64, {2}, {1 << 30, 1 << 30})});
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().kind, Error::Kind::kResource);
  auto negative = run(text, {tensor<int64_t>(ElementType::kI64, {2}, {2, -1})});
  ASSERT_FALSE(negative);
  EXPECT_THAT(negative.error().message, HasSubstr("stablehlo.dynamic_iota"));
}

TEST(Shape, BitcastSplitsAndJoins) {
  const Tensor x = tensor<uint32_t>(ElementType::kUi32, {2}, {0x04030201u, 0xF8070605u});
  const Tensor bytes = evaluate(R"(
    func.func @main(%x: tensor<2xui32>) -> tensor<2x4xui8> {
      %r = stablehlo.bitcast_convert %x : (tensor<2xui32>) -> tensor<2x4xui8>
      return %r : tensor<2x4xui8>
    })",
                                {x});
  EXPECT_THAT(values<uint8_t>(bytes), ElementsAre(1, 2, 3, 4, 5, 6, 7, 0xF8));
  const Tensor halves = evaluate(R"(
    func.func @main(%x: tensor<2xui32>) -> tensor<2x8xi4> {
      %r = stablehlo.bitcast_convert %x : (tensor<2xui32>) -> tensor<2x8xi4>
      return %r : tensor<2x8xi4>
    })",
                                 {x});
  EXPECT_THAT(values<int8_t>(halves),
              ElementsAre(1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, -8, -1));
  const Tensor back = evaluate(R"(
    func.func @main(%x: tensor<2x8xi4>) -> tensor<2xui32> {
      %r = stablehlo.bitcast_convert %x : (tensor<2x8xi4>) -> tensor<2xui32>
      return %r : tensor<2xui32>
    })",
                               {halves});
  EXPECT_TRUE(back.identical(x));
}

TEST(Shape, SetDimensionSizeCutsAndGetTellsIt) {
  const Tensor result = evaluate(R"(
    func.func @main(%x: tensor<4xi32>, %n: tensor<i32>) -> tensor<i32> {
      %s = stablehlo.set_dimension_size %x, %n, dim = 0
          : (tensor<4xi32>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<4>>
      %r = stablehlo.get_dimension_size %s, dim = 0
          : (tensor<?xi32, #stablehlo.bounds<4>>) -> tensor<i32>
      return %r : tensor<i32>
    })",
                                 {counting({4}), ints({}, {3})});
  EXPECT_THAT(values<int32_t>(result), ElementsAre(3));
}

}  // namespace
}  // namespace vintage::tests::engine_test
