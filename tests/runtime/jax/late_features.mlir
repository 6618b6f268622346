// What came with StableHLO 1.20 to 1.22 and stands in no program of the corpus; each says of its own
// values what XLA of JAX 0.12 computes.

// NaN of either sign is above all numbers, and equal to any NaN; the zeros are equal.
func.func @main() {
  %a = stablehlo.constant dense<[0xFFC00000, -0.0, 1.0, 0x7F800000]> : tensor<4xf32>
  %b = stablehlo.constant dense<[0x7FC00000, 0.0, 2.0, 0xFFC00000]> : tensor<4xf32>
  %0 = stablehlo.compare LE, %a, %b, WEAKORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %0, dense<[true, true, true, true]> : tensor<4xi1>
  %1 = stablehlo.compare LT, %a, %b, WEAKORDER : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  check.expect_eq_const %1, dense<[false, false, true, true]> : tensor<4xi1>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f8E4M3FN, rhs_precision_type = f8E4M3FN, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  check.expect_eq_const %0, dense<[[7.0, 10.0], [15.0, 22.0]]> : tensor<2x2xf32>
  return
}

// -----

func.func @main() {
  %a = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf8E4M3FN>
  %b = stablehlo.constant dense<[[[1.0]], [[0.5]]]> : tensor<2x1x1xf8E5M2>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf8E4M3FN>, tensor<2x1x1xf8E5M2>) -> tensor<1x3x1xf32>
  check.expect_eq_const %0, dense<[[[2.0], [3.5], [5.0]]]> : tensor<1x3x1xf32>
  return
}

// -----

// MLIR's own bytecode spells 8-bit floats by codes since jaxlib 0.12; operations of other dialects
// take its types.
sdy.mesh @mesh = <["x"=1]>
func.func @main() {
  %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf8E4M3FN>
  %0 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<2xf8E4M3FN>
  %1 = stablehlo.convert %0 : (tensor<2xf8E4M3FN>) -> tensor<2xf32>
  check.expect_eq_const %1, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}
