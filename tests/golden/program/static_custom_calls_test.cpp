// Custom calls that take their shapes from operands: PJRT plugins reject dynamic shapes, which JAX
// refines before it compiles. 232 artifacts of the catalogue failed on a plugin for this reason.
#include <gmock/gmock.h>

#include "tests/golden/program/static_text.h"

namespace vintage::tests::static_shapes {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSize =
    "%n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>\n"
    "%one = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
    "%two = stablehlo.constant dense<2> : tensor<1xi32>\n"
    "%shape = stablehlo.concatenate %one, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> "
    "tensor<2xi32>\n";

std::string madeStatic(const std::string& body) {
  return staticText(mainOf("%x: tensor<?x2xf32>", kSize + body, "tensor<?x2xf32>"), {{{3, 2}, {}}});
}

TEST(StaticCustomCalls, ShapeOperandsBecomeTheShapesOfResults) {
  const std::string text = madeStatic(
      "%r = stablehlo.custom_call @solve(%x, %shape) {indices_of_shape_operands = dense<1> : "
      "tensor<1xi64>, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : "
      "tensor<1xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : "
      "(tensor<?x2xf32>, tensor<2xi32>) -> tensor<?x2xf32>");
  EXPECT_THAT(text,
              AllOf(HasSubstr("custom_call @solve(%arg0)"),
                    HasSubstr("operand_layouts = [dense<[1, 0]> : tensor<2xindex>]"),
                    HasSubstr("-> tensor<3x2xf32>"), Not(HasSubstr("indices_of_shape_operands"))));
}

TEST(StaticCustomCalls, WrongShapeOperandsAreNamed) {
  const auto call = [](const std::string& operands, const std::string& indices,
                       const std::string& types) {
    return madeStatic("%r = stablehlo.custom_call @solve(" + operands +
                      ") {indices_of_shape_operands = dense<" + indices + "> : tensor<" +
                      (indices.starts_with("[") ? "2" : "1") + "xi64>} : (" + types +
                      ") -> tensor<?x2xf32>");
  };
  EXPECT_THAT(call("%x, %shape", "5", "tensor<?x2xf32>, tensor<2xi32>"),
              HasSubstr("names operand 5 as a shape, and has 2"));
  EXPECT_THAT(call("%x, %shape", "-1", "tensor<?x2xf32>, tensor<2xi32>"),
              HasSubstr("names operand -1 as a shape, and has 2"));
  EXPECT_THAT(call("%x, %shape", "[1, 1]", "tensor<?x2xf32>, tensor<2xi32>"),
              HasSubstr("names 2 operands for the shapes of 1 results"));
  EXPECT_THAT(call("%shape, %x", "0", "tensor<2xi32>, tensor<?x2xf32>"),
              HasSubstr("has operands behind those that are shapes"));
  EXPECT_THAT(call("%x, %two", "1", "tensor<?x2xf32>, tensor<1xi32>"),
              HasSubstr("where the program says"));
}

TEST(StaticCustomCalls, ARandomGeneratorOfUnknownSizeIsTheOperation) {
  const std::string text = staticText(
      mainOf("%s: tensor<2xui64>, %x: tensor<?x2xf32>",
             std::string(kSize) +
                 "%o:2 = stablehlo.custom_call @stablehlo.dynamic_rng_bit_generator(%s, %shape) "
                 "{api_version = 2 : i32, rng_algorithm = #stablehlo<rng_algorithm THREE_FRY>} : "
                 "(tensor<2xui64>, tensor<2xi32>) -> (tensor<2xui64>, tensor<?x2xui32>)\n"
                 "%r = stablehlo.convert %o#1 : (tensor<?x2xui32>) -> tensor<?x2xf32>",
             "tensor<?x2xf32>"),
      {{{2}, {}}, {{3, 2}, {}}});
  EXPECT_THAT(text, AllOf(HasSubstr("stablehlo.rng_bit_generator %arg0, algorithm =  THREE_FRY"),
                          HasSubstr("tensor<3x2xui32>")));
}

TEST(StaticCustomCalls, AnApproximateTopKHasItsKInTheConfiguration) {
  const std::string text = staticText(
      mainOf(
          "%x: tensor<?x2xf32>",
          std::string(kSize) +
              "%i = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x2xi32>\n"
              "%v = stablehlo.constant dense<0.0> : tensor<f32>\n"
              "%j = stablehlo.constant dense<-1> : tensor<i32>\n"
              "%k = stablehlo.constant dense<2> : tensor<i32>\n"
              "%o:2 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %i, %v, %j, %k, "
              "%shape, %shape) {indices_of_shape_operands = dense<[5, 6]> : tensor<2xi64>, "
              "mhlo.backend_config = {reduction_dim = 1 : i64}} : (tensor<?x2xf32>, "
              "tensor<?x2xi32>, tensor<f32>, tensor<i32>, tensor<i32>, tensor<2xi32>, "
              "tensor<2xi32>) -> (tensor<?x2xf32>, tensor<?x2xi32>)\n"
              "%r = stablehlo.negate %o#0 : tensor<?x2xf32>",
          "tensor<?x2xf32>"),
      {{{3, 2}, {}}});
  EXPECT_THAT(text, AllOf(HasSubstr("custom_call @ApproxTopK(%arg0, "),
                          HasSubstr("top_k = 2 : i64"), HasSubstr("reduction_dim = 1 : i64"),
                          HasSubstr("(tensor<3x2xf32>, tensor<3x2xi32>)")));
}

// The comparator of a top_k was left behind, and XLA crashed without it.
TEST(StaticCustomCalls, WhatACallComputesByComesWithIt) {
  const std::string body =
      "%r = stablehlo.custom_call @sort(%x, %shape) {indices_of_shape_operands = dense<1> : "
      "tensor<1xi64>, called_computations = [@less]} : (tensor<?x2xf32>, tensor<2xi32>) -> "
      "tensor<?x2xf32>";
  const std::string whole = mainOf("%x: tensor<?x2xf32>", kSize + body, "tensor<?x2xf32>");
  const std::string text = staticText(
      whole +
          "func.func private @less(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {\n"
          "%0 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
          "return %0 : tensor<i1>\n}\n",
      {{{3, 2}, {}}});
  EXPECT_THAT(text, AllOf(HasSubstr("called_computations = [@less]"),
                          HasSubstr("func.func private @less(")));
  EXPECT_THAT(staticText(whole, {{{3, 2}, {}}}), HasSubstr("a computation that the module lacks"));
}

// As JAX writes a dynamic_slice of symbolic sizes: the limits are the starts and the sizes.
TEST(StaticCustomCalls, ASliceOfKnownSizeMayMove) {
  const std::string text = staticText(
      mainOf("%start: tensor<2xi32>, %x: tensor<?x2xf32>",
             std::string(kSize) +
                 "%ones = stablehlo.constant dense<1> : tensor<2xi32>\n"
                 "%limit = stablehlo.add %start, %shape : tensor<2xi32>\n"
                 "%r = stablehlo.real_dynamic_slice %x, %start, %limit, %ones : (tensor<?x2xf32>, "
                 "tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>",
             "tensor<?x2xf32>"),
      {{{2}, {}}, {{3, 2}, {}}});
  EXPECT_THAT(text, AllOf(HasSubstr("stablehlo.dynamic_slice %arg1"), HasSubstr("sizes = [3, 2]"),
                          HasSubstr("-> tensor<3x2xf32>")));
}

}  // namespace
}  // namespace vintage::tests::static_shapes
