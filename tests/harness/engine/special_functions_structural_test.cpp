// CHLO's operations that rearrange, broadcast or combine.
#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;
using namespace harness;

namespace {

using testing::ElementsAre;

TEST(ChloBroadcast, StretchesDimensionsOfSizeOneAndMissingOnes) {
  const auto outputs = runMain(
      "(%a: tensor<2x1xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi1>)",
      "%0 = chlo.broadcast_add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>\n"
      "%1 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} "
      ": "
      "(tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>\n"
      "return %0, %1 : tensor<2x3xf32>, tensor<2x3xi1>",
      {floats({2, 1}, {10, 2}), floats({3}, {1, 2, 3})});
  EXPECT_THAT(valuesOf<float>(outputs[0]), ElementsAre(11, 12, 13, 3, 4, 5));
  EXPECT_THAT(valuesOf<uint8_t>(outputs[1]), ElementsAre(0, 0, 0, 0, 0, 1));
}

TEST(ChloBroadcast, FollowsExplicitDimensions) {
  const auto outputs =
      runMain("(%a: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<2x3xf32>",
              "%0 = chlo.broadcast_multiply %a, %b {broadcast_dimensions = array<i64: 0>} : "
              "(tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>\n return %0 : tensor<2x3xf32>",
              {floats({2, 3}, {1, 2, 3, 4, 5, 6}), floats({2}, {10, 100})});
  EXPECT_THAT(valuesOf<float>(outputs[0]), ElementsAre(10, 20, 30, 400, 500, 600));
}

TEST(TopK, OrdersByValueThenByPlace) {
  const float inf = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  const auto outputs = runMain(
      "(%a: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)",
      "%0, %1 = chlo.top_k(%a, k = 3) : tensor<2x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)\n"
      "return %0, %1 : tensor<2x3xf32>, tensor<2x3xi32>",
      {floats({2, 5}, {1, 3, 3, 2, 3, -0.0f, 0.0f, nan, inf, -inf})});
  EXPECT_THAT(valuesOf<int32_t>(outputs[1]), ElementsAre(1, 2, 4, 2, 3, 1));
}

TEST(MulHi, KeepsTheUpperHalf) {
  const auto outputs = runMain("(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32>",
                               "%0 = \"chlo.mulhi\"(%a, %b) : (tensor<2xi32>, tensor<2xi32>) -> "
                               "tensor<2xi32>\n return %0 : tensor<2xi32>",
                               {ints({2}, {1 << 30, -1}), ints({2}, {8, 1})});
  EXPECT_THAT(valuesOf<int32_t>(outputs[0]), ElementsAre(2, -1));
}

TEST(ChloPredicates, TellInfinitiesApart) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto outputs =
      runMain("(%a: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>)",
              "%0 = chlo.is_inf %a : tensor<4xf32> -> tensor<4xi1>\n"
              "%1 = chlo.is_pos_inf %a : tensor<4xf32> -> tensor<4xi1>\n"
              "%2 = chlo.is_neg_inf %a : tensor<4xf32> -> tensor<4xi1>\n"
              "return %0, %1, %2 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>",
              {floats({4}, {1, inf, -inf, std::numeric_limits<float>::quiet_NaN()})});
  EXPECT_THAT(valuesOf<uint8_t>(outputs[0]), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(valuesOf<uint8_t>(outputs[1]), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(valuesOf<uint8_t>(outputs[2]), ElementsAre(0, 0, 1, 0));
}

TEST(RaggedDot, GivesEachGroupOfRowsItsOwnMatrix) {
  const auto outputs = runMain(
      "(%a: tensor<4x1xf32>, %b: tensor<2x1x2xf32>, %g: tensor<2xi32>) -> tensor<4x2xf32>",
      "%0 = \"chlo.ragged_dot\"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = "
      "[0], "
      "rhs_group_dimensions = [0]>}> : (tensor<4x1xf32>, tensor<2x1x2xf32>, tensor<2xi32>) -> "
      "tensor<4x2xf32>\n"
      "return %0 : tensor<4x2xf32>",
      {floats({4, 1}, {1, 2, 3, 4}), floats({2, 1, 2}, {1, 10, 100, 1000}), ints({2}, {1, 2})});
  EXPECT_THAT(valuesOf<float>(outputs[0]), ElementsAre(1, 10, 200, 2000, 300, 3000, 0, 0));
}

TEST(RaggedDot, SumsWithinEachGroupWhereTheContractingDimensionIsRagged) {
  const auto outputs = runMain(
      "(%a: tensor<1x3xf32>, %b: tensor<3x1xf32>, %g: tensor<2xi32>) -> tensor<2x1x1xf32>",
      "%0 = \"chlo.ragged_dot\"(%a, %b, %g) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<"
      "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = "
      "[1]>}> : "
      "(tensor<1x3xf32>, tensor<3x1xf32>, tensor<2xi32>) -> tensor<2x1x1xf32>\n return %0 : "
      "tensor<2x1x1xf32>",
      {floats({1, 3}, {1, 2, 3}), floats({3, 1}, {1, 10, 100}), ints({2}, {2, 1})});
  EXPECT_THAT(valuesOf<float>(outputs[0]), ElementsAre(21, 300));
}

TEST(ConstantLike, TakesTheShapeOfItsOperand) {
  const auto outputs = runMain("(%a: tensor<2x2xf32>) -> tensor<2x2xf32>",
                               "%0 = \"chlo.constant_like\"(%a) <{value = 1.5 : f32}> : "
                               "(tensor<2x2xf32>) -> tensor<2x2xf32>\n"
                               "return %0 : tensor<2x2xf32>",
                               {floats({2, 2}, {0, 0, 0, 0})});
  EXPECT_THAT(valuesOf<float>(outputs[0]), ElementsAre(1.5, 1.5, 1.5, 1.5));
}

}  // namespace
}  // namespace vintage::tests
