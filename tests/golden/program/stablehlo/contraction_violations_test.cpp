#include "tests/golden/program/stablehlo/violations.h"

namespace vintage::tests {
using namespace golden;

namespace {

TEST(StablehloConstraints, DotGeneral) {
  expectChangesRefused(
      {"%arg0: tensor<5x2x3xf32>, %arg1: tensor<5x3x4xf32>",
       "%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] "
       "x [1], precision = [DEFAULT, DEFAULT] : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> "
       "tensor<5x2x4xf32>"},
      {
          {"dot_general_c1", "[0] x [0]", "[0] x []", "found [0] and []"},
          {"dot_general_c2", "[2] x [1]", "[] x [1]", "found [] and [1]"},
          {"dot_general_c3", "[2] x [1]", "[0] x [1]", "found [0, 0]"},
          {"dot_general_c4", "[2] x [1]", "[2] x [0]", "found [0, 0]"},
          {"dot_general_c5", "[0] x [0]", "[3] x [0]", "found [3]"},
          {"dot_general_c6", "[2] x [1]", "[3] x [1]", "found [3]"},
          {"dot_general_c7", "[0] x [0]", "[0] x [-1]", "found [-1]"},
          {"dot_general_c8", "[2] x [1]", "[2] x [9]", "found [9]"},
          {"dot_general_c9", "[0] x [0], contracting_dims = [2] x [1]",
           "[0] x [1], contracting_dims = [2] x [0]",
           "dimension 0 of lhs has 5, dimension 1 of rhs has 3"},
          {"dot_general_c10", "[2] x [1]", "[1] x [1]",
           "dimension 1 of lhs has 2, dimension 1 of rhs has 3"},
          {"dot_general_c11", "[DEFAULT, DEFAULT]", "[DEFAULT]", "found 1"},
          {"dot_general_c12", "-> tensor<5x2x4xf32>", "-> tensor<5x4x2xf32>",
           "must have shape 5x2x4, found 5x4x2"},
      });
}

TEST(StablehloConstraints, DotAlgorithmsHaveComponents) {
  ProgramContext context;
  const OperationText text = {
      "%arg0: tensor<2x2xf32>",
      "%0 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [0], algorithm = "
      "<lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, "
      "lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, "
      "allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> "
      "tensor<2x2xf32>"};
  auto program = context.parseText(moduleOf(text), "test");
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message,
              testing::HasSubstr("rhs_component_count of the algorithm must be positive, found 0"));
}

TEST(StablehloConstraints, Dot) {
  expectViolations({
      {"dot_c1", "%arg0: tensor<2x2x2xf32>",
       "%0 = stablehlo.dot %arg0, %arg0 : (tensor<2x2x2xf32>, tensor<2x2x2xf32>) -> tensor<?xf32>",
       "tensor<2x2x2xf32>"},
      {"dot_c2", "%arg0: tensor<2x3xf32>",
       "%0 = stablehlo.dot %arg0, %arg0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
       "found 3 and 2"},
      {"dot_c3", "%arg0: tensor<2x2xf32>",
       "%0 = stablehlo.dot %arg0, %arg0, precision = [HIGH] : (tensor<2x2xf32>, tensor<2x2xf32>) "
       "-> tensor<2x2xf32>",
       "found 1"},
      {"dot_c4", "%arg0: tensor<2x2xf32>",
       "%0 = stablehlo.dot %arg0, %arg0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>",
       "found 2x3"},
  });
}

TEST(StablehloConstraints, Convolution) {
  const OperationText kValid = {
      "%arg0: tensor<2x8x8x4xf32>, %arg1: tensor<3x3x2x6xf32>",
      "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
      "f], window = {stride = [1, 2], pad = [[0, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = "
      "[1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 2 : "
      "i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : "
      "(tensor<2x8x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x6x4x6xf32>"};
  expectChangesRefused(
      kValid,
      {
          {"convolution_c2", "stride = [1, 2]", "stride = [1]", "must have 2 elements, found 1"},
          {"convolution_c3", "stride = [1, 2]", "stride = [1, 0]", "found [1, 0]"},
          {"convolution_c4", "pad = [[0, 0], [1, 0]]", "pad = [[0, 0]]",
           "must have shape 2x2, found 1x2"},
          {"convolution_c5", "lhs_dilate = [1, 1]", "lhs_dilate = [1, 1, 1]", "found 3"},
          {"convolution_c6", "lhs_dilate = [1, 1]", "lhs_dilate = [1, -1]", "found [1, -1]"},
          {"convolution_c7", "rhs_dilate = [1, 1]", "rhs_dilate = []", "found 0"},
          {"convolution_c8", "rhs_dilate = [1, 1]", "rhs_dilate = [0, 1]", "found [0, 1]"},
          {"convolution_c9", "reverse = [false, false]", "reverse = [false]", "found 1"},
          {"convolution_c12", "[b, 0, 1, f]x", "[b, 0, f]x", "found 1"},
          {"convolution_c13", "[b, 0, 1, f]x", "[b, 0, 1, ?, f]x", "found [0, 4, 1, 2]"},
          {"convolution_c17", "x[0, 1, i, o]", "x[0, i, o]", "found 1"},
          {"convolution_c18", "x[0, 1, i, o]", "x[0, 1, i, ?, o]", "found [2, 4, 0, 1]"},
          {"convolution_c19", "->[b, 0, 1, f]", "->[b, 0, f]", "found 1"},
          {"convolution_c20", "->[b, 0, 1, f]", "->[b, 0, 1, ?, f]", "found [0, 4, 1, 2]"},
          {"convolution_c11", "feature_group_count = 2", "feature_group_count = 3",
           "has size 4, which is no multiple of feature_group_count 3"},
          {"convolution_c14", "feature_group_count = 2", "feature_group_count = 1",
           "must have size 4, the features of lhs (4) by group, found 2"},
          {"convolution_c23", "batch_group_count = 1", "batch_group_count = 2", "found 2 and 2"},
          {"convolution_c10", "batch_group_count = 1 : i64, feature_group_count = 2",
           "batch_group_count = 3 : i64, feature_group_count = 1",
           "has size 2, which is no multiple of batch_group_count 3"},
          {"convolution_c24", "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]",
           "[#stablehlo<precision DEFAULT>]", "found 1"},
          {"convolution_c25", "-> tensor<2x6x4x6xf32>", "-> tensor<2x6x3x6xf32>",
           "must have shape 2x6x4x6, found 2x6x3x6"},
          {"convolution_c25", "pad = [[0, 0], [1, 0]]",
           "pad = [[9223372036854775807, 9223372036854775807], [1, 0]]", "too large"},
          {"convolution_c26", "-> tensor<2x6x4x6xf32>", "-> tensor<2x6x4xf32>", "found 3"},
      });
  expectViolations({
      {"convolution_c1", "%arg0: tensor<2x8x4xf32>, %arg1: tensor<3x3x2x6xf32>",
       "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
       "window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
       "(tensor<2x8x4xf32>, tensor<3x3x2x6xf32>) -> tensor<2x6x6xf32>",
       "tensor<3x3x2x6xf32>"},
      {"convolution_c15", "%arg0: tensor<2x8x4xf32>, %arg1: tensor<3x4x5xf32>",
       "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
       "window = {} {batch_group_count = 2 : i64, feature_group_count = 1 : i64} : "
       "(tensor<2x8x4xf32>, tensor<3x4x5xf32>) -> tensor<1x6x5xf32>",
       "has size 5, which is no multiple of batch_group_count 2"},
      {"convolution_c16", "%arg0: tensor<2x8x4xf32>, %arg1: tensor<3x2x5xf32>",
       "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
       "window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : "
       "(tensor<2x8x4xf32>, tensor<3x2x5xf32>) -> tensor<2x6x5xf32>",
       "has size 5, which is no multiple of feature_group_count 2"},
      {"dynamic_conv_c4",
       "%arg0: tensor<2x8x4xf32>, %arg1: tensor<3x4x5xf32>, %arg2: tensor<2x2xi32>",
       "%0 = \"stablehlo.dynamic_conv\"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, "
       "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = "
       "1 : i64}> : (tensor<2x8x4xf32>, tensor<3x4x5xf32>, tensor<2x2xi32>) -> tensor<2x?x5xf32>",
       "must have shape 1x2, found 2x2"},
  });
}

// convolution_c21 and c22 are constraints on the attributes themselves.
TEST(StablehloConstraints, GroupCountsArePositive) {
  ProgramContext context;
  const OperationText text = {
      "%arg0: tensor<2x8x4xf32>, %arg1: tensor<3x4x5xf32>",
      "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
      "window = {} {batch_group_count = 1 : i64, feature_group_count = 0 : i64} : "
      "(tensor<2x8x4xf32>, tensor<3x4x5xf32>) -> tensor<2x6x5xf32>"};
  auto program = context.parseText(moduleOf(text), "test");
  ASSERT_FALSE(program);
  EXPECT_THAT(program.error().message, testing::HasSubstr("'feature_group_count'"));
  EXPECT_THAT(program.error().message, testing::HasSubstr("positive"));
}

}  // namespace
}  // namespace vintage::tests
