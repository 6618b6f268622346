#include "tests/golden/program/stablehlo/violations.h"

namespace vintage::tests {
using namespace golden;

namespace {

TEST(StablehloConstraints, Elementwise) {
  expectViolations({
      {"abs_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.abs %arg0 : (tensor<4xf32>) -> tensor<5xf32>",
       "operand 0 has 4, the result has 5"},
      {"abs_c2", "%arg0: tensor<4xcomplex<f32>>",
       "%0 = stablehlo.abs %arg0 : tensor<4xcomplex<f32>>", "must be 'f32'"},
      {"real_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.real %arg0 : (tensor<4xf32>) -> tensor<2x2xf32>", "4"},
      {"imag_c2", "%arg0: tensor<4xcomplex<f32>>",
       "%0 = stablehlo.imag %arg0 : (tensor<4xcomplex<f32>>) -> tensor<4xf64>", "found 'f64'"},
      {"convert_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.convert %arg0 : (tensor<4xf32>) -> tensor<3xi32>", "operand 0 has 4"},
      {"cosine_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.cosine %arg0 : (tensor<4xf32>) -> tensor<4xf64>", "the result has 'f64'"},
      {"is_finite_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.is_finite %arg0 : (tensor<4xf32>) -> tensor<i1>", "the result has scalar"},
      {"reduce_precision_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.reduce_precision %arg0, format = e5m2 : (tensor<4xf32>) -> tensor<4xf16>",
       "'f16'"},
      {"bitcast_convert_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.bitcast_convert %arg0 : (tensor<4xf32>) -> tensor<4xi16>",
       "32-bit elements does not hold"},
      {"bitcast_convert_c1", "%arg0: tensor<4x3xi8>",
       "%0 = stablehlo.bitcast_convert %arg0 : (tensor<4x3xi8>) -> tensor<4xi32>", "8-bit"},
      {"uniform_quantize_c1", "%arg0: tensor<4xf32>",
       "%0 = stablehlo.uniform_quantize %arg0 : (tensor<4xf32>) -> "
       "tensor<3x!quant.uniform<i8:f32, 2.0>>",
       "operand 0 has 4"},
      {"uniform_quantize_c2", "%arg0: tensor<4xf64>",
       "%0 = stablehlo.uniform_quantize %arg0 : (tensor<4xf64>) -> "
       "tensor<4x!quant.uniform<i8:f32, 2.0>>",
       "must be 'f64'"},
      {"add_c1", "%arg0: tensor<2xf32>, %arg1: tensor<3xf32>",
       "%0 = stablehlo.add %arg0, %arg1 : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>",
       "operand 1 has 3, the result has 2"},
      {"multiply_c1", "%arg0: tensor<2xf32>, %arg1: tensor<2xi32>",
       "%0 = stablehlo.multiply %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xf32>",
       "operand 1 has 'i32', the result has 'f32'"},
      {"xor_c1", "%arg0: tensor<2xi1>",
       "%0 = stablehlo.xor %arg0, %arg0 : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi8>", "'i8'"},
      {"select_c1", "%arg0: tensor<3xi1>, %arg1: tensor<2xf32>",
       "%0 = stablehlo.select %arg0, %arg1, %arg1 : tensor<3xi1>, tensor<2xf32>",
       "pred has 3, on_true has 2"},
      {"select_c2", "%arg0: tensor<2xi1>, %arg1: tensor<2xf32>, %arg2: tensor<2xf64>",
       "%0 = stablehlo.select %arg0, %arg1, %arg2 : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) "
       "-> tensor<2xf32>",
       "'tensor<2xf64>'"},
      {"clamp_c1", "%arg0: tensor<3xf32>, %arg1: tensor<2xf32>",
       "%0 = stablehlo.clamp %arg0, %arg1, %arg1 : (tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) "
       "-> tensor<2xf32>",
       "min has 3"},
      {"clamp_c2", "%arg0: tensor<3xf32>, %arg1: tensor<2xf32>",
       "%0 = stablehlo.clamp %arg1, %arg1, %arg0 : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) "
       "-> tensor<2xf32>",
       "max has 3"},
      {"clamp_c3", "%arg0: tensor<f64>, %arg1: tensor<2xf32>",
       "%0 = stablehlo.clamp %arg0, %arg1, %arg1 : (tensor<f64>, tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xf32>",
       "min has 'f64'"},
      {"clamp_c4", "%arg0: tensor<2xf32>",
       "%0 = stablehlo.clamp %arg0, %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) "
       "-> tensor<3xf32>",
       "'tensor<3xf32>'"},
      {"compare_c1", "%arg0: tensor<2xf32>, %arg1: tensor<2xi32>",
       "%0 = stablehlo.compare EQ, %arg0, %arg1 : (tensor<2xf32>, tensor<2xi32>) -> tensor<2xi1>",
       "rhs has 'i32'"},
      {"compare_c2", "%arg0: tensor<2xf32>",
       "%0 = stablehlo.compare EQ, %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xi1>",
       "result must have shape 2, found 3"},
      // As JAX 0.12 refuses it.
      {"compare_c3", "%arg0: tensor<2xi32>",
       "%0 = stablehlo.compare LT, %arg0, %arg0, WEAKORDER : (tensor<2xi32>, tensor<2xi32>) -> "
       "tensor<2xi1>",
       "WEAKORDER compares floats, found 'tensor<2xi32>'"},
      {"complex_c1", "%arg0: tensor<2xf32>, %arg1: tensor<2xf64>",
       "%0 = stablehlo.complex %arg0, %arg1 : (tensor<2xf32>, tensor<2xf64>) -> "
       "tensor<2xcomplex<f32>>",
       "'tensor<2xf64>'"},
      {"complex_c2", "%arg0: tensor<2xf32>",
       "%0 = stablehlo.complex %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<3xcomplex<f32>>",
       "found 3"},
      {"complex_c3", "%arg0: tensor<2xf32>",
       "%0 = stablehlo.complex %arg0, %arg0 : (tensor<2xf32>, tensor<2xf32>) -> "
       "tensor<2xcomplex<f64>>",
       "complex<'f32'>"},
  });
}

// Types of operands are rejected by name before any constraint is checked.
TEST(StablehloConstraints, OperandTypes) {
  ProgramContext context;
  const OperationText kCases[] = {
      {"%arg0: tensor<4xf32>", "%0 = stablehlo.not %arg0 : tensor<4xf32>"},
      {"%arg0: tensor<4xi32>", "%0 = stablehlo.cosine %arg0 : tensor<4xi32>"},
      {"%arg0: tensor<*xf32>", "%0 = stablehlo.abs %arg0 : tensor<*xf32>"},
      {"%arg0: tensor<4xi3>", "%0 = stablehlo.add %arg0, %arg0 : tensor<4xi3>"},
      {"%arg0: tensor<4xf80>", "%0 = stablehlo.add %arg0, %arg0 : tensor<4xf80>"},
      {"%arg0: tensor<4x!quant.uniform<i8:f32:1, {1.0, 2.0}>>",
       "%0 = stablehlo.uniform_dequantize %arg0 : (tensor<4x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) "
       "-> tensor<4xf32>"},
      {"%arg0: tensor<4x!quant.uniform<i8:f32:0, {1.0, 2.0}>>",
       "%0 = stablehlo.uniform_dequantize %arg0 : (tensor<4x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) "
       "-> tensor<4xf32>"},
      {"%arg0: i32", "%0 = stablehlo.negate %arg0 : i32"},
  };
  for (const OperationText& text : kCases) {
    auto program = context.parseText(moduleOf(text), "test");
    ASSERT_FALSE(program) << text.text;
    EXPECT_THAT(program.error().message, testing::HasSubstr("operand #0 must be")) << text.text;
  }
}

}  // namespace
}  // namespace vintage::tests
