#include "tests/golden/program/stablehlo/operation_texts.h"

namespace vintage::tests {

const std::vector<OperationText> kContractionTexts = {
    {"%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>",
     "%0 = stablehlo.dot %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>"},
    {"%arg0: tensor<3xi64>",
     "%0 = stablehlo.dot %arg0, %arg0, precision = [DEFAULT, HIGH] : (tensor<3xi64>, "
     "tensor<3xi64>) -> tensor<i64>"},
    {"%arg0: tensor<3xi64>",
     "%0 = stablehlo.dot %arg0, %arg0, precision = [] : (tensor<3xi64>, tensor<3xi64>) -> "
     "tensor<i64>"},
    {"%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>",
     "%0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3xf32>, "
     "tensor<3x4xf32>) -> tensor<2x4xf32>"},
    {"%arg0: tensor<5x2x3xf32>, %arg1: tensor<5x3x4xf32>",
     "%0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x "
     "[1], precision = [HIGHEST, HIGHEST], algorithm = <lhs_precision_type = tf32, "
     "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, "
     "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> "
     ": (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>"},
    {"%arg0: tensor<8x16xf32>, %arg1: tensor<16x8xf32>",
     "%0 = stablehlo.einsum %arg0, %arg1, config = \"ab,bc->ac\" : (tensor<8x16xf32>, "
     "tensor<16x8xf32>) -> tensor<8x8xf32>"},
    {"%arg0: tensor<8x16xf32>",
     "%0 = stablehlo.unary_einsum %arg0, config = \"ab->a\" : (tensor<8x16xf32>) -> tensor<8xf32>"},
    {"%arg0: tensor<1x8x8x2xf32>, %arg1: tensor<3x3x2x4xf32>",
     "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
     "f], window = {stride = [2, 1], pad = [[1, 1], [0, 2]], lhs_dilate = [1, 2], rhs_dilate = [1, "
     "2], reverse = [true, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
     "precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]} : "
     "(tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x4x13x4xf32>"},
    {"%arg0: tensor<2x3x8xf32>, %arg1: tensor<4x3x3xf32>",
     "%0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], "
     "window "
     "= {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x8xf32>, "
     "tensor<4x3x3xf32>) -> tensor<2x4x6xf32>"},
    {"%arg0: tensor<1x?x2xf32>, %arg1: tensor<4x2x2xf32>, %arg2: tensor<1x2xi32>",
     "%0 = \"stablehlo.dynamic_conv\"(%arg0, %arg1, %arg2) <{batch_group_count = 1 : i64, "
     "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 "
     ": i64}> : (tensor<1x?x2xf32>, tensor<4x2x2xf32>, tensor<1x2xi32>) -> tensor<1x?x2xf32>"},
    {"%arg0: tensor<3x3xf32>", "%0 = stablehlo.cholesky %arg0 : tensor<3x3xf32>"},
    {"%arg0: tensor<3x3xf32>", "%0 = stablehlo.cholesky %arg0, lower = true : tensor<3x3xf32>"},
    {"%arg0: tensor<3x3xf32>",
     "%0 = \"stablehlo.triangular_solve\"(%arg0, %arg0) <{left_side = true, lower = true, "
     "transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, "
     "tensor<3x3xf32>) -> tensor<3x3xf32>"},
    {"%arg0: tensor<9xf32>",
     "%0 = stablehlo.fft %arg0, type =  RFFT, length = [9] : (tensor<9xf32>) -> "
     "tensor<5xcomplex<f32>>"},
    {"%arg0: tensor<f32>, %arg1: tensor<2xi64>",
     "%0 = stablehlo.rng %arg0, %arg0, %arg1, distribution =  NORMAL : (tensor<f32>, tensor<f32>, "
     "tensor<2xi64>) -> tensor<2x3xf32>"},
    {"%arg0: tensor<2xui64>",
     "%output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm =  THREE_FRY : "
     "(tensor<2xui64>) -> (tensor<2xui64>, tensor<4xui32>)"},
};

}  // namespace vintage::tests
