// StableHLO's specification where consumers differ. Expected values come from its text,
// or were worked out by hand.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "tests/golden/tensor/sample_tensors.h"
#include "tests/harness/engine/numeric_program.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// rng: [a, b) holds no b. Between two neighbours only one number is left.
TEST(Specification, RngStaysInsideOfItsInterval) {
  const auto outputs = runMain("(%a: tensor<f32>, %b: tensor<f32>) -> tensor<1000xf32>",
                               "%s = stablehlo.constant dense<1000> : tensor<1xi64>\n"
                               "%0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : "
                               "(tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>\n"
                               "return %0 : tensor<1000xf32>",
                               {floats({}, {1}), floats({}, {std::nextafter(1.0f, 2.0f)})});
  for (const float value : outputs[0].values<float>()) ASSERT_EQ(value, 1);
}

TEST(Specification, RngOfIntegersStaysInsideOfItsInterval) {
  const auto outputs = runMain("(%a: tensor<i32>, %b: tensor<i32>) -> tensor<100xi32>",
                               "%s = stablehlo.constant dense<100> : tensor<1xi64>\n"
                               "%0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : "
                               "(tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<100xi32>\n"
                               "return %0 : tensor<100xi32>",
                               {ints({}, {-2}), ints({}, {1})});
  for (const int32_t value : outputs[0].values<int32_t>()) ASSERT_TRUE(value >= -2 && value < 1);
}

// cholesky: the specification's example, of one triangle; the other one is not read.
TEST(Specification, CholeskyReadsOneTriangle) {
  const auto factor = [](bool lower, const std::vector<float>& matrix) {
    return valuesOf<float>(
        runMain("(%a: tensor<3x3xf32>) -> tensor<3x3xf32>",
                fmt::format("%0 = stablehlo.cholesky %a, lower = {} : tensor<3x3xf32>\n"
                            "return %0 : tensor<3x3xf32>",
                            lower),
                {floats({3, 3}, matrix)})[0]);
  };
  const auto lower = factor(true, {1, kNan, kNan, 2, 20, kNan, 3, 26, 70});
  EXPECT_THAT((std::vector{lower[0], lower[3], lower[4], lower[6], lower[7], lower[8]}),
              ElementsAre(1, 2, 4, 3, 5, 6));
  const auto upper = factor(false, {1, 2, 3, kNan, 20, 26, kNan, kNan, 70});
  EXPECT_THAT((std::vector{upper[0], upper[1], upper[2], upper[4], upper[5], upper[8]}),
              ElementsAre(1, 2, 3, 4, 5, 6));
}

// triangular_solve: the specification's example; the other triangle and a unit diagonal are not
// read, so that NaN there reaches nothing.
TEST(Specification, TriangularSolveReadsOneTriangle) {
  const auto solve = [](bool lower, bool unit, const std::vector<float>& a,
                        const std::vector<float>& b) {
    return valuesOf<float>(
        runMain("(%a: tensor<3x3xf32>, %b: tensor<3x3xf32>) -> tensor<3x3xf32>",
                fmt::format("%0 = \"stablehlo.triangular_solve\"(%a, %b) <{{left_side = true, "
                            "lower = {}, unit_diagonal = {}, "
                            "transpose_a = #stablehlo<transpose NO_TRANSPOSE>}}> : "
                            "(tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>\n"
                            "return %0 : tensor<3x3xf32>",
                            lower, unit),
                {floats({3, 3}, a), floats({3, 3}, b)})[0]);
  };
  EXPECT_THAT(
      solve(true, false, {1, kNan, kNan, 2, 4, kNan, 3, 5, 6}, {2, 0, 0, 4, 8, 0, 6, 10, 12}),
      ElementsAre(2, 0, 0, 0, 2, 0, 0, 0, 2));
  // The upper triangle 1 2 3, 1 5, 1 with ones on its diagonal, times the identity doubled.
  EXPECT_THAT(solve(false, true, {kNan, 2, 3, kNan, kNan, 5, kNan, kNan, kNan},
                    {2, 4, 6, 0, 2, 10, 0, 0, 2}),
              ElementsAre(2, 0, 0, 0, 2, 0, 0, 0, 2));
}

// dot_general: 1 + 2^-8 is no bf16 and rounds to even, 1. As f32 the product keeps it.
TEST(Specification, DotAlgorithmsRoundOperandsToTheirPrecision) {
  const auto product = [](const char* precision, int components, int operations) {
    return valuesOf<float>(runMain(
        "(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32>",
        fmt::format(
            "%0 = \"stablehlo.dot_general\"(%a, %b) <{{dot_dimension_numbers = "
            "#stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, "
            "precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], "
            "algorithm = #stablehlo.dot_algorithm<lhs_precision_type = {0}, "
            "rhs_precision_type = {0}, accumulation_type = f32, lhs_component_count = {1}, "
            "rhs_component_count = {1}, num_primitive_operations = {2}, "
            "allow_imprecise_accumulation = false>}}> : "
            "(tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>\n"
            "return %0 : tensor<1x1xf32>",
            precision, components, operations),
        {floats({1, 1}, {1 + 0x1p-8f}), floats({1, 1}, {3})})[0])[0];
  };
  EXPECT_EQ(product("bf16", 1, 1), 3);
  EXPECT_EQ(product("tf32", 1, 1), 3 + 3 * 0x1p-8f);  // It has ten bits.
  EXPECT_EQ(product("bf16", 3, 6), 3 + 3 * 0x1p-8f);  // Three components hold all of f32.
}

// scatter: elements of a window that lie outside are left out, the others are updated.
TEST(Specification, ScatterLeavesOutSingleElements) {
  const auto scatter = [](int32_t start) {
    return valuesOf<float>(
        runMain("(%x: tensor<4xf32>, %i: tensor<1xi32>, %u: tensor<3xf32>) -> tensor<4xf32>",
                R"(%0 = "stablehlo.scatter"(%x, %i, %u) <{
                  scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0],
                    scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
                ^bb0(%l: tensor<f32>, %m: tensor<f32>):
                  stablehlo.return %m : tensor<f32>
                }) : (tensor<4xf32>, tensor<1xi32>, tensor<3xf32>) -> tensor<4xf32>
                return %0 : tensor<4xf32>)",
                {floats({4}, {0, 0, 0, 0}), ints({1}, {start}), floats({3}, {1, 2, 3})})[0]);
  };
  EXPECT_THAT(scatter(1), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(scatter(2), ElementsAre(0, 0, 1, 2));
  EXPECT_THAT(scatter(-1), ElementsAre(2, 3, 0, 0));
  EXPECT_THAT(scatter(4), ElementsAre(0, 0, 0, 0));
}

// gather, dynamic_slice and dynamic_update_slice move windows inside.
TEST(Specification, SlicesPartlyOutsideAreMovedInside) {
  const auto slice = [](int32_t start) {
    return valuesOf<float>(
        runMain("(%x: tensor<4xf32>, %i: tensor<i32>) -> tensor<2xf32>",
                "%0 = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<4xf32>, tensor<i32>) "
                "-> tensor<2xf32>\nreturn %0 : tensor<2xf32>",
                {floats({4}, {0, 1, 2, 3}), ints({}, {start})})[0]);
  };
  EXPECT_THAT(slice(3), ElementsAre(2, 3));
  EXPECT_THAT(slice(-1), ElementsAre(0, 1));
  const auto update = [](int32_t start) {
    return valuesOf<float>(
        runMain("(%x: tensor<4xf32>, %i: tensor<i32>, %u: tensor<2xf32>) -> tensor<4xf32>",
                "%0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf32>, "
                "tensor<i32>) -> tensor<4xf32>\nreturn %0 : tensor<4xf32>",
                {floats({4}, {0, 1, 2, 3}), ints({}, {start}), floats({2}, {8, 9})})[0]);
  };
  EXPECT_THAT(update(3), ElementsAre(0, 1, 8, 9));
  EXPECT_THAT(update(-5), ElementsAre(8, 9, 2, 3));
  const auto gather = [](int32_t start) {
    return valuesOf<float>(
        runMain("(%x: tensor<4xf32>, %i: tensor<1xi32>) -> tensor<2xf32>",
                R"(%0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
                  offset_dims = [0], start_index_map = [0], index_vector_dim = 0>,
                  slice_sizes = array<i64: 2>}> : (tensor<4xf32>, tensor<1xi32>) -> tensor<2xf32>
                return %0 : tensor<2xf32>)",
                {floats({4}, {0, 1, 2, 3}), ints({1}, {start})})[0]);
  };
  EXPECT_THAT(gather(3), ElementsAre(2, 3));
  EXPECT_THAT(gather(-7), ElementsAre(0, 1));
}

// reduce_precision: a format with a mantissa has NaN; of one without, StableHLO's interpreter
// makes an infinity (its test reduce_precision_op_test_f64_zero_mantissa_bits), and JAX NaN.
TEST(Specification, ReducePrecisionKeepsNanWhereTheFormatHasIt) {
  const auto reduced = [](const char* format) {
    return valuesOf<float>(
        runMain("(%x: tensor<2xf32>) -> tensor<2xf32>",
                fmt::format("%0 = stablehlo.reduce_precision %x, format = {} : tensor<2xf32>\n"
                            "return %0 : tensor<2xf32>",
                            format),
                {floats({2}, {kNan, 1})})[0]);
  };
  EXPECT_TRUE(std::isnan(reduced("e5m2")[0]));
  EXPECT_TRUE(std::isnan(reduced("e8m1")[0]));
  EXPECT_EQ(reduced("e5m0")[0], kInfinity);
}

// sort: with is_stable, equal keys keep their order.
TEST(Specification, AStableSortKeepsTheOrderOfEqualKeys) {
  const auto outputs =
      runMain("(%k: tensor<4xi32>, %v: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)",
              R"(%r:2 = "stablehlo.sort"(%k, %v) <{dimension = 0 : i64, is_stable = true}> ({
              ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
                %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
                stablehlo.return %p : tensor<i1>
              }) : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
              return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>)",
              {ints({4}, {2, 1, 2, 1}), ints({4}, {0, 1, 2, 3})});
  EXPECT_THAT(valuesOf<int32_t>(outputs[1]), ElementsAre(1, 3, 0, 2));
}

}  // namespace
}  // namespace vintage::tests
