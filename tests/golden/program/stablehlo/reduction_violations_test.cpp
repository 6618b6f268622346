#include "tests/golden/program/stablehlo/violations.h"

namespace vintage::tests {
using namespace golden;

namespace {

TEST(StablehloConstraints, Reduce) {
  const OperationText kValid = {
      "%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>",
      R"("stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>)"};
  expectChangesRefused(
      kValid,
      {
          {"reduce_c2", "-> tensor<2xf32>", "-> tensor<2xi32>", "its result is 'tensor<2xi32>'"},
          {"reduce_c2", "-> tensor<2xf32>", "-> tensor<2xf16>", "its result is 'tensor<2xf16>'"},
          {"reduce_c3", "-> tensor<2xf32>", "-> (tensor<2xf32>, tensor<2xf32>)",
           "found 1, 1 and 2"},
          {"reduce_c4", "array<i64: 1>", "array<i64: 2>", "found [2]"},
          {"reduce_c5", "array<i64: 1>", "array<i64: 1, 1>", "found [1, 1]"},
          {"reduce_c6", "%b: tensor<f32>)", "%b: tensor<f32>, %c: tensor<f32>)", "found 3"},
          {"reduce_c6", "return %s : tensor<f32>", "return %s, %s : tensor<f32>, tensor<f32>",
           "must give 1 values, found 2"},
          {"reduce_c6", "return %s : tensor<f32>", "return %arg2 : tensor<i32>",
           "must be 'tensor<f32>', found 'tensor<i32>'"},
          {"reduce_c7", "-> tensor<2xf32>", "-> tensor<3xf32>", "must have shape 2, found 3"},
      });
  expectViolations({
      {"reduce_c1", "%arg0: tensor<3xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>",
       R"(%0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg2) across dimensions = [0] : (tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
     reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<f32>, %d: tensor<f32>)  {
      stablehlo.return %a, %c : tensor<f32>, tensor<f32>
    })",
       "input 1 has 4"},
      {"reduce_c2", "%arg0: tensor<3xf32>, %arg1: tensor<i32>",
       "%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0] : "
       "(tensor<3xf32>, tensor<i32>) -> tensor<f32>",
       "its initial value has 'i32'"},
  });
}

// A body can compute in a wider type than its inputs have.
TEST(StablehloConstraints, ReduceCanWiden) {
  ProgramContext context;
  auto program = context.parseText(
      moduleOf({"%arg0: tensor<3xbf16>, %arg1: tensor<bf16>",
                R"(%0 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) : (tensor<3xbf16>, tensor<bf16>) -> tensor<f32>)"}),
      "test");
  EXPECT_TRUE(program) << program.error().message;
}

TEST(StablehloConstraints, ReduceWindow) {
  const OperationText kValid = {
      "%arg0: tensor<8x4xf32>, %arg1: tensor<f32>",
      R"("stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) : (tensor<8x4xf32>, tensor<f32>) -> tensor<4x4xf32>)"};
  expectChangesRefused(
      kValid,
      {
          {"reduce_window_c1", "-> tensor<4x4xf32>", "-> ()", "found 1, 1 and 0"},
          {"reduce_window_c3", "-> tensor<4x4xf32>", "-> tensor<4x4xi32>", "tensor<4x4xi32>"},
          {"reduce_window_c4", "window_dimensions = array<i64: 2, 1>",
           "window_dimensions = array<i64: 2>", "found 1"},
          {"reduce_window_c5", "window_dimensions = array<i64: 2, 1>",
           "window_dimensions = array<i64: 2, 0>", "found [2, 0]"},
          {"reduce_window_c6", "window_strides = array<i64: 2, 1>",
           "window_strides = array<i64: 2>", "found 1"},
          {"reduce_window_c7", "window_strides = array<i64: 2, 1>",
           "window_strides = array<i64: 0, 1>", "found [0, 1]"},
          {"reduce_window_c8", "base_dilations = array<i64: 1, 1>", "base_dilations = array<i64>",
           "found 0"},
          {"reduce_window_c9", "base_dilations = array<i64: 1, 1>",
           "base_dilations = array<i64: 1, -1>", "found [1, -1]"},
          {"reduce_window_c10", "window_dilations = array<i64: 1, 1>",
           "window_dilations = array<i64: 1>", "found 1"},
          {"reduce_window_c11", "window_dilations = array<i64: 1, 1>",
           "window_dilations = array<i64: 0, 1>", "found [0, 1]"},
          {"reduce_window_c12", "tensor<2x2xi64>", "tensor<1x2xi64>", "found 1x2"},
          {"reduce_window_c13", "%b: tensor<f32>)", "%b: tensor<2xf32>)", "argument 1"},
          {"reduce_window_c15", "-> tensor<4x4xf32>", "-> tensor<3x4xf32>",
           "must have shape 4x4, found 3x4"},
      });
  expectViolations({
      {"reduce_window_c2", "%arg0: tensor<3xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>",
       R"(%0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg2) <{window_dimensions = array<i64: 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
      stablehlo.return %a, %b : tensor<f32>, tensor<f32>
    }) : (tensor<3xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<3xf32>, tensor<4xf32>))",
       "input 1 has 4"},
  });
}

TEST(StablehloConstraints, SelectAndScatter) {
  const OperationText kValid = {
      "%arg0: tensor<4x2xi32>, %arg1: tensor<2x2xi32>, %arg2: tensor<i32>",
      R"(%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }, {
    ^bb0(%c: tensor<i32>, %d: tensor<i32>):
      stablehlo.return %c : tensor<i32>
    }) : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>)"};
  expectChangesRefused(
      kValid,
      {
          {"select_and_scatter_c2", "window_strides = array<i64: 2, 1>",
           "window_strides = array<i64: 1, 1>", "must have shape 3x2, found 2x2"},
          {"select_and_scatter_c4", "array<i64: 3, 1>", "array<i64: 3>", "found 1"},
          {"select_and_scatter_c5", "array<i64: 3, 1>", "array<i64: 3, 0>", "found [3, 0]"},
          {"select_and_scatter_c6", "array<i64: 2, 1>", "array<i64: 2>", "found 1"},
          {"select_and_scatter_c7", "array<i64: 2, 1>", "array<i64: 2, -1>", "found [2, -1]"},
          {"select_and_scatter_c8", "dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>",
           "dense<0> : tensor<2xi64>", "found 2"},
          {"select_and_scatter_c9", "return %s : tensor<i1>", "return %a : tensor<i32>",
           "one tensor<i1>"},
          {"select_and_scatter_c9", "%b: tensor<i32>)", "%b: tensor<i32>, %e: tensor<i32>)",
           "found 3"},
          {"select_and_scatter_c10", "%d: tensor<i32>)", "%d: tensor<f32>)", "argument 1"},
          {"select_and_scatter_c11", "-> tensor<4x2xi32>", "-> tensor<4x3xi32>", "found 4x3"},
      });
  expectViolations({
      {"select_and_scatter_c1", "%arg0: tensor<2xi32>, %arg1: tensor<2xf32>, %arg2: tensor<i32>",
       R"(%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
      stablehlo.return
    }, {
      stablehlo.return
    }) : (tensor<2xi32>, tensor<2xf32>, tensor<i32>) -> tensor<2xi32>)",
       "source has 'f32'"},
      {"select_and_scatter_c3", "%arg0: tensor<2xi32>, %arg1: tensor<2xi32>, %arg2: tensor<f32>",
       R"(%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) ({
      stablehlo.return
    }, {
      stablehlo.return
    }) : (tensor<2xi32>, tensor<2xi32>, tensor<f32>) -> tensor<2xi32>)",
       "init_value has 'f32'"},
  });
}

TEST(StablehloConstraints, Sort) {
  const OperationText kValid = {"%arg0: tensor<4xf32>, %arg1: tensor<4xi32>",
                                R"(%0:2 = "stablehlo.sort"(%arg0, %arg1) <{dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
      %s = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %s : tensor<i1>
    }) : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>))"};
  expectChangesRefused(
      kValid,
      {
          {"sort_c2", "-> (tensor<4xf32>, tensor<4xi32>)", "-> (tensor<4xf32>, tensor<4xi64>)",
           "'tensor<4xi64>'"},
          {"sort_c4", "dimension = 0", "dimension = 1", "[-1, 1), found 1"},
          {"sort_c4", "dimension = 0", "dimension = -2", "found -2"},
          {"sort_c5", "%d: tensor<i32>)", "%d: tensor<f32>)", "argument 3"},
          {"sort_c5", ", %d: tensor<i32>)", ")", "found 3"},
          {"sort_c5", "return %s : tensor<i1>", "return %a : tensor<f32>", "one tensor<i1>"},
      });
  expectViolations({
      {"sort_c1", "", "\"stablehlo.sort\"() ({\n      stablehlo.return\n    }) : () -> ()",
       "at least one"},
      {"sort_c3", "%arg0: tensor<4xf32>, %arg1: tensor<5xf32>",
       "%0:2 = \"stablehlo.sort\"(%arg0, %arg1) ({\n      stablehlo.return\n    }) : "
       "(tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)",
       "input 1 has 5"},
  });
}

TEST(StablehloConstraints, Map) {
  const OperationText kValid = {"%arg0: tensor<4xf32>, %arg1: tensor<5xf32>",
                                R"(%0 = "stablehlo.map"(%arg0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>)"};
  expectChangesRefused(
      kValid,
      {
          {"map_c1", "-> tensor<4xf32>", "-> tensor<5xf32>", "found 4 and 5"},
          {"map_c3", "array<i64: 0>", "array<i64: 1>", "must be [0], found [1]"},
          {"map_c4", "^bb0(%a: tensor<f32>)", "^bb0(%a: tensor<f32>, %b: tensor<f32>)", "found 2"},
          {"map_c4", "-> tensor<4xf32>", "-> tensor<4xi32>", "one tensor<'i32'>"},
      });
  expectViolations({{"map_c2", "",
                     "%0 = \"stablehlo.map\"() <{dimensions = array<i64>}> ({\n      "
                     "stablehlo.return\n    }) : () -> tensor<f32>",
                     "at least one"}});
}

TEST(StablehloConstraints, BatchNorm) {
  expectViolations({
      {"batch_norm_inference_c1", "%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>",
       "%0 = \"stablehlo.batch_norm_inference\"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.0 "
       ": f32, feature_index = 2 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, "
       "tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>",
       "found [2]"},
      {"batch_norm_inference_c2", "%arg0: tensor<2x3xf32>, %arg1: tensor<3xf64>",
       "%0 = \"stablehlo.batch_norm_inference\"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.0 "
       ": f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf64>, tensor<3xf64>, "
       "tensor<3xf64>, tensor<3xf64>) -> tensor<2x3xf32>",
       "vector 0 has 'f64'"},
      {"batch_norm_training_c3", "%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>",
       "%0:3 = \"stablehlo.batch_norm_training\"(%arg0, %arg1, %arg1) <{epsilon = 1.0 : f32, "
       "feature_index = 0 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> "
       "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)",
       "must have 2 elements, one for each feature, found 3"},
      {"batch_norm_training_c7", "%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>",
       "%0:3 = \"stablehlo.batch_norm_training\"(%arg0, %arg1, %arg1) <{epsilon = 1.0 : f32, "
       "feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> "
       "(tensor<2x4xf32>, tensor<3xf32>, tensor<3xf32>)",
       "found 2x4"},
      {"batch_norm_inference_c7", "%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>",
       "%0 = \"stablehlo.batch_norm_inference\"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = 1.0 "
       ": f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, "
       "tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>",
       "found 3x3"},
      {"batch_norm_grad_c3", "%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x4xf32>",
       "%0:3 = \"stablehlo.batch_norm_grad\"(%arg0, %arg1, %arg1, %arg1, %arg2) <{epsilon = 1.0 : "
       "f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, "
       "tensor<3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)",
       "grad_output must have shape 2x3, found 2x4"},
  });
}

}  // namespace
}  // namespace vintage::tests
