#include "tests/golden/program/stablehlo/operation_texts.h"

#include "tests/rooms.h"

namespace vintage::tests {

const std::vector<OperationText> kElementwiseTexts = {
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.abs %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xcomplex<f32>>",
     "%0 = stablehlo.abs %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.cbrt %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.ceil %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<4xi8>"},
    {"%arg0: tensor<?xf32>", "%0 = stablehlo.cosine %arg0 {mhlo.tag = 1 : i32} : tensor<?xf32>"},
    {"%arg0: tensor<4xui8>", "%0 = stablehlo.count_leading_zeros %arg0 : tensor<4xui8>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.exponential %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>",
     "%0 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<rtol = "
     "5.000000e-01, ulps = 2, mode = "
     "#stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.exponential_minus_one %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.floor %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xcomplex<f64>>",
     "%0 = stablehlo.imag %arg0 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.imag %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<4xi1>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.log %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.log_plus_one %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xbf16>", "%0 = stablehlo.logistic %arg0 : tensor<4xbf16>"},
    {"%arg0: tensor<4xi32>", "%0 = stablehlo.negate %arg0 : tensor<4xi32>"},
    {"%arg0: tensor<4xi1>", "%0 = stablehlo.not %arg0 : tensor<4xi1>"},
    {"%arg0: tensor<4xi4>", "%0 = stablehlo.popcnt %arg0 : tensor<4xi4>"},
    {"%arg0: tensor<4xcomplex<f32>>",
     "%0 = stablehlo.real %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>"},
    {"%arg0: tensor<4xf32>",
     "%0 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.round_nearest_afz %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.round_nearest_even %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.rsqrt %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.sign %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.sine %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.sqrt %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf32>", "%0 = stablehlo.tan %arg0 : tensor<4xf32>"},
    {"%arg0: tensor<4xf8E4M3FN>", "%0 = stablehlo.tanh %arg0 : tensor<4xf8E4M3FN>"},
    {"%arg0: tensor<4xf32>",
     "%0 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi32>"},
    {"%arg0: tensor<4xf32>",
     "%0 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4x4xi8>"},
    {"%arg0: tensor<4xf32>",
     "%0 = stablehlo.uniform_quantize %arg0 : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, "
     "2.000000e+00:3>>"},
    {"%arg0: tensor<4x!quant.uniform<i8:f32, 2.000000e+00>>",
     "%0 = stablehlo.uniform_dequantize %arg0 : (tensor<4x!quant.uniform<i8:f32, 2.000000e+00>>) "
     "-> tensor<4xf32>"},
    {"%arg0: tensor<2xi1>, %arg1: tensor<2xi1>", "%0 = stablehlo.add %arg0, %arg1 : tensor<2xi1>"},
    {"%arg0: tensor<?xf32>, %arg1: tensor<2xf32>",
     "%0 = stablehlo.add %arg0, %arg1 : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>"},
    {"%arg0: tensor<2xi8>", "%0 = stablehlo.and %arg0, %arg0 : tensor<2xi8>"},
    {"%arg0: tensor<2xf64>", "%0 = stablehlo.atan2 %arg0, %arg0 : tensor<2xf64>"},
    {"%arg0: tensor<2xf64>", "%0 = stablehlo.divide %arg0, %arg0 : tensor<2xf64>"},
    {"%arg0: tensor<2xf64>", "%0 = stablehlo.maximum %arg0, %arg0 : tensor<2xf64>"},
    {"%arg0: tensor<2xf64>", "%0 = stablehlo.minimum %arg0, %arg0 : tensor<2xf64>"},
    {"%arg0: tensor<2xf64>", "%0 = stablehlo.multiply %arg0, %arg0 : tensor<2xf64>"},
    {"%arg0: tensor<2xi1>", "%0 = stablehlo.or %arg0, %arg0 : tensor<2xi1>"},
    {"%arg0: tensor<2xi64>", "%0 = stablehlo.power %arg0, %arg0 : tensor<2xi64>"},
    {"%arg0: tensor<2xi64>", "%0 = stablehlo.remainder %arg0, %arg0 : tensor<2xi64>"},
    {"%arg0: tensor<2xi64>", "%0 = stablehlo.shift_left %arg0, %arg0 : tensor<2xi64>"},
    {"%arg0: tensor<2xi64>", "%0 = stablehlo.shift_right_arithmetic %arg0, %arg0 : tensor<2xi64>"},
    {"%arg0: tensor<2xi64>", "%0 = stablehlo.shift_right_logical %arg0, %arg0 : tensor<2xi64>"},
    {"%arg0: tensor<2xi64>", "%0 = stablehlo.subtract %arg0, %arg0 : tensor<2xi64>"},
    {"%arg0: tensor<2xi1>", "%0 = stablehlo.xor %arg0, %arg0 : tensor<2xi1>"},
    {"%arg0: tensor<2xf32>", "%0 = stablehlo.complex %arg0, %arg0 : tensor<2xcomplex<f32>>"},
    {"%arg0: tensor<?xf32>",
     "%0 = stablehlo.complex %arg0, %arg0 : (tensor<?xf32>, tensor<?xf32>) -> "
     "tensor<2xcomplex<f32>>"},
    {"%arg0: tensor<2xf32>",
     "%0 = stablehlo.compare  EQ, %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>"},
    {"%arg0: tensor<2xf32>",
     "%0 = stablehlo.compare  LT, %arg0, %arg0,  TOTALORDER : (tensor<2xf32>, tensor<2xf32>) -> "
     "tensor<2xi1>"},
    {"%arg0: tensor<2xi1>, %arg1: tensor<2xf32>",
     "%0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<2xi1>, tensor<2xf32>"},
    {"%arg0: tensor<i1>, %arg1: tensor<2xf32>, %arg2: tensor<?xf32>",
     "%0 = stablehlo.select %arg0, %arg1, %arg2 : (tensor<i1>, tensor<2xf32>, tensor<?xf32>) -> "
     "tensor<2xf32>"},
    {"%arg0: tensor<2xf32>", "%0 = stablehlo.clamp %arg0, %arg0, %arg0 : tensor<2xf32>"},
    {"%arg0: tensor<f32>, %arg1: tensor<2xf32>",
     "%0 = stablehlo.clamp %arg0, %arg1, %arg0 : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> "
     "tensor<2xf32>"},
};

}  // namespace vintage::tests
