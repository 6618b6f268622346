#include "tests/golden/program/stablehlo/operation_texts.h"

namespace vintage::tests {

const std::vector<OperationText> kShapeTexts = {
    {"", "%c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>"},
    {"", "%cst = stablehlo.constant dense<1.500000e+00> : tensor<2x3xf32>"},
    {"", "%cst = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<complex<f32>>"},
    {"", "%c = stablehlo.constant dense<true> : tensor<2xi1>"},
    {"", "%c = stablehlo.constant {mhlo.tag = \"x\"} dense<> : tensor<0xi64>"},
    {"",
     "%cst = stablehlo.constant() <{value = dense<[1, 2]> : tensor<2xi8>}> : () -> "
     "tensor<2x!quant.uniform<i8:f32, 2.000000e+00>>"},
    {"", "%0 = stablehlo.iota dim = 1 : tensor<2x3xf32>"},
    {"%arg0: tensor<3xi32>",
     "%0 = stablehlo.broadcast %arg0, sizes = [1, 2] : (tensor<3xi32>) -> tensor<1x2x3xi32>"},
    {"%arg0: tensor<1x3xi32>",
     "%0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 0] : (tensor<1x3xi32>) -> "
     "tensor<3x2x5xi32>"},
    {"%arg0: tensor<i32>",
     "%0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<i32>) -> tensor<4xi32>"},
    {"%arg0: tensor<1x2xf32>, %arg1: tensor<3x2xf32>",
     "%0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<1x2xf32>, tensor<3x2xf32>) -> "
     "tensor<4x2xf32>"},
    {"%arg0: tensor<1x2xf32>",
     "%0 = stablehlo.concatenate %arg0, dim = 1 : (tensor<1x2xf32>) -> tensor<1x2xf32>"},
    {"%arg0: tensor<3x4xf32>, %arg1: tensor<i64>",
     "%0 = stablehlo.dynamic_slice %arg0, %arg1, %arg1, sizes = [1, 2] : (tensor<3x4xf32>, "
     "tensor<i64>, tensor<i64>) -> tensor<1x2xf32>"},
    {"%arg0: tensor<3x4xf32>, %arg1: tensor<1x2xf32>, %arg2: tensor<i32>",
     "%0 = stablehlo.dynamic_update_slice %arg0, %arg1, %arg2, %arg2 : (tensor<3x4xf32>, "
     "tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x4xf32>"},
    {"%arg0: tensor<3x?xf32>",
     "%0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3x?xf32>) -> tensor<i32>"},
    {"%arg0: tensor<3x4xf32>, %arg1: tensor<i32>",
     "%0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 1 : (tensor<3x4xf32>, tensor<i32>) -> "
     "tensor<3x?xf32, #stablehlo.bounds<?, 4>>"},
    {"%arg0: tensor<2x3xf32>, %arg1: tensor<f32>",
     "%0 = stablehlo.pad %arg0, %arg1, low = [0, 1], high = [2, -1], interior = [1, 2] : "
     "(tensor<2x3xf32>, tensor<f32>) -> tensor<5x7xf32>"},
    {"%arg0: tensor<2x3xf32>", "%0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>"},
    {"%arg0: tensor<2x3xf32>", "%0 = stablehlo.reverse %arg0, dims = [1, 0] : tensor<2x3xf32>"},
    {"%arg0: tensor<5x8xf32>",
     "%0 = stablehlo.slice %arg0 [1:3, 0:8:3] : (tensor<5x8xf32>) -> tensor<2x3xf32>"},
    {"%arg0: tensor<f32>", "%0 = stablehlo.slice %arg0 [] : (tensor<f32>) -> tensor<f32>"},
    {"%arg0: tensor<2x3x4xf32>",
     "%0 = stablehlo.transpose %arg0, dims = [2, 0, 1] : (tensor<2x3x4xf32>) -> "
     "tensor<4x2x3xf32>"},
    {"%arg0: tensor<1xf32>, %arg1: tensor<2xi32>",
     "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [1] "
     "{known_expanding_dimensions = array<i64: 0>} : (tensor<1xf32>, tensor<2xi32>) -> "
     "tensor<?x?xf32>"},
    {"%arg0: tensor<1xindex>",
     "%0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<1xindex>) -> tensor<?xi32>"},
    {"%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: tensor<1xi32>",
     "%0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<?xf32>, tensor<f32>, "
     "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>"},
    {"%arg0: tensor<?xf32>, %arg1: tensor<2xi32>",
     "%0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<2xi32>) -> "
     "tensor<?x2xf32>"},
    {"%arg0: tensor<?xf32>, %arg1: tensor<1xi64>",
     "%0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<?xf32>, "
     "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>"},
    {"%arg0: tensor<3x4x2xi32>, %arg1: tensor<2x3x2xi64>",
     "%0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims "
     "= [2, 3], collapsed_slice_dims = [0], start_index_map = [1, 0], index_vector_dim = 2>, "
     "slice_sizes = array<i64: 1, 2, 2>}> : (tensor<3x4x2xi32>, tensor<2x3x2xi64>) -> "
     "tensor<2x3x2x2xi32>"},
    {"%arg0: tensor<?x4xf32>, %arg1: tensor<1xi64>, %arg2: tensor<2xi32>",
     "%0 = \"stablehlo.dynamic_gather\"(%arg0, %arg1, %arg2) <{dimension_numbers = "
     "#stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true}> "
     ": (tensor<?x4xf32>, tensor<1xi64>, tensor<2xi32>) -> tensor<?x2xf32>"},
    {"%arg0: tensor<4x2xf32>, %arg1: tensor<3xi32>",
     "%0 = \"stablehlo.torch_index_select\"(%arg0, %arg1) <{batch_dims = 0 : i64, dim = 0 : i64}> "
     ": (tensor<4x2xf32>, tensor<3xi32>) -> tensor<3x2xf32>"},
};

}  // namespace vintage::tests
