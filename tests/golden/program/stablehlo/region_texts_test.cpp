#include "tests/golden/program/stablehlo/operation_texts.h"

namespace vintage::tests {

const std::vector<OperationText> kRegionTexts = {
    {"%arg0: tensor<2x3xf32>, %arg1: tensor<f32>",
     "%0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : "
     "(tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>"},
    {"%arg0: tensor<3xf32>, %arg1: tensor<3xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>",
     R"(%0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
     reducer(%arg4: tensor<f32>, %arg6: tensor<f32>) (%arg5: tensor<i32>, %arg7: tensor<i32>)  {
      %1 = stablehlo.maximum %arg4, %arg6 : tensor<f32>
      %2 = stablehlo.minimum %arg5, %arg7 : tensor<i32>
      stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
    })"},
    {"%arg0: tensor<3xf32>, %arg1: tensor<f32>",
     R"(%0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] {mhlo.tag = 1 : i32} : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      %1 = stablehlo.add %arg3, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    })"},
    {"%arg0: tensor<i64>, %arg1: tensor<2xf32>",
     R"(%0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i64>, tensor<2xf32>
     cond {
      %1 = stablehlo.compare  LT, %iterArg, %arg0 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %iterArg_0, %iterArg_0 : tensor<2xf32>
      stablehlo.return %iterArg, %1 : tensor<i64>, tensor<2xf32>
    })"},
    {"%arg0: tensor<i1>",
     R"(stablehlo.while() attributes {mhlo.tag = 1 : i32}
     cond {
      stablehlo.return %arg0 : tensor<i1>
    } do {
      stablehlo.return )"
     "\n    }"},
    {"%arg0: tensor<i1>, %arg1: tensor<f32>",
     R"(%0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }, {
      %1 = stablehlo.negate %arg1 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>)"},
    {"%arg0: tensor<i32>, %arg1: tensor<f32>",
     R"(%0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }, {
      stablehlo.return %arg1 : tensor<f32>
    }, {
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>)"},
    {"%arg0: tensor<4xf32>",
     R"(%0 = "stablehlo.map"(%arg0, %arg0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"},
    {"%arg0: tensor<4xf32>",
     R"(%0 = "stablehlo.sort"(%arg0) <{dimension = -1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.compare  LT, %arg1, %arg2,  FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"%arg0: tensor<3x2xi32>, %arg1: tensor<i32>",
     R"(%0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 2, 1>, padding = dense<[[2, 1], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 3, 1>, window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 4, 1>}> ({
    ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
      %1 = stablehlo.add %arg2, %arg3 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<3x2xi32>, tensor<i32>) -> tensor<2x2xi32>)"},
    {"%arg0: tensor<4x2xi32>, %arg1: tensor<2x2xi32>, %arg2: tensor<i32>",
     R"(%0 = "stablehlo.select_and_scatter"(%arg0, %arg1, %arg2) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 3, 1>, window_strides = array<i64: 2, 1>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.compare  GE, %arg3, %arg4,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }, {
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<4x2xi32>, tensor<2x2xi32>, tensor<i32>) -> tensor<4x2xi32>)"},
    {"%arg0: tensor<3x4x2xi32>, %arg1: tensor<2x3x2xi64>, %arg2: tensor<2x3x2x2xi32>",
     R"(%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 2>, unique_indices = true}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      %1 = stablehlo.add %arg3, %arg4 : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<3x4x2xi32>, tensor<2x3x2xi64>, tensor<2x3x2x2xi32>) -> tensor<3x4x2xi32>)"},
    {"%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>",
     "%output, %batch_mean, %batch_var = \"stablehlo.batch_norm_training\"(%arg0, %arg1, %arg1) "
     "<{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, "
     "tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)"},
    {"%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>",
     "%0 = \"stablehlo.batch_norm_inference\"(%arg0, %arg1, %arg1, %arg1, %arg1) <{epsilon = "
     "1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, "
     "tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>"},
    {"%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>",
     "%grad_operand, %grad_scale, %grad_offset = \"stablehlo.batch_norm_grad\"(%arg0, %arg1, "
     "%arg1, %arg1, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : "
     "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> "
     "(tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)"},
};

}  // namespace vintage::tests
