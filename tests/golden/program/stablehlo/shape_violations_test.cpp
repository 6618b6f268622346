#include "tests/golden/program/stablehlo/violations.h"

namespace vintage::tests {
using namespace golden;

namespace {

TEST(StablehloConstraints, Shape) {
  expectViolations({
      {"broadcast_c1", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3xi32>) -> tensor<2x3xi64>", "'i64'"},
      {"broadcast_c2", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.broadcast %arg0, sizes = [-2] : (tensor<3xi32>) -> tensor<2x3xi32>", "[-2]"},
      {"broadcast_c3", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.broadcast %arg0, sizes = [2] : (tensor<3xi32>) -> tensor<3x2xi32>",
       "must have shape 2x3, found 3x2"},
      {"broadcast_in_dim_c1", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<3xi32>) -> tensor<3xf32>",
       "'f32'"},
      {"broadcast_in_dim_c2", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.broadcast_in_dim %arg0, dims = [] : (tensor<3xi32>) -> tensor<3xi32>",
       "must have 1 elements, found 0"},
      {"broadcast_in_dim_c3", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<3xi32>) -> tensor<3xi32>",
       "[0, 1), found [1]"},
      {"broadcast_in_dim_c4", "%arg0: tensor<3x3xi32>",
       "%0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 0] : (tensor<3x3xi32>) -> "
       "tensor<3x3xi32>",
       "found [0, 0]"},
      {"broadcast_in_dim_c5", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<3xi32>) -> tensor<4xi32>",
       "has size 3, which is neither 1 nor the size 4"},
      {"concatenate_c1", "%arg0: tensor<3xi32>, %arg1: tensor<3xf32>",
       "%0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<3xi32>, tensor<3xf32>) -> "
       "tensor<6xi32>",
       "input 1 has 'f32'"},
      {"concatenate_c2", "%arg0: tensor<3x1xi32>, %arg1: tensor<3x2xi32>",
       "%0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<3x1xi32>, tensor<3x2xi32>) -> "
       "tensor<6x1xi32>",
       "input 1 has 3x2"},
      {"concatenate_c3", "",
       "%0 = \"stablehlo.concatenate\"() {dimension = 0 : i64} : () -> tensor<3xi32>",
       "at least one"},
      {"concatenate_c4", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.concatenate %arg0, dim = 1 : (tensor<3xi32>) -> tensor<3xi32>",
       "[0, 1), found [1]"},
      {"concatenate_c5", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.concatenate %arg0, dim = 0 : (tensor<3xi32>) -> tensor<3xi64>", "'i64'"},
      {"concatenate_c6", "%arg0: tensor<3xi32>",
       "%0 = stablehlo.concatenate %arg0, %arg0, dim = 0 : (tensor<3xi32>, tensor<3xi32>) -> "
       "tensor<5xi32>",
       "must have shape 6, found 5"},
      {"constant_c1", "",
       "%0 = \"stablehlo.constant\"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>",
       "'tensor<3xi32>'"},
      {"dynamic_slice_c1", "%arg0: tensor<3xf32>, %arg1: tensor<i64>",
       "%0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1] : (tensor<3xf32>, tensor<i64>) -> "
       "tensor<1xf64>",
       "'f64'"},
      {"dynamic_slice_c2", "%arg0: tensor<3x3xf32>, %arg1: tensor<i64>",
       "%0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [1, 1] : (tensor<3x3xf32>, "
       "tensor<i64>) -> tensor<1x1xf32>",
       "start_indices must have 2 elements, found 1"},
      {"dynamic_slice_c3", "%arg0: tensor<3x3xf32>, %arg1: tensor<i64>, %arg2: tensor<i32>",
       "%0 = stablehlo.dynamic_slice %arg0, %arg1, %arg2, sizes = [1, 1] : (tensor<3x3xf32>, "
       "tensor<i64>, tensor<i32>) -> tensor<1x1xf32>",
       "same type"},
      {"dynamic_slice_c4", "%arg0: tensor<3xf32>, %arg1: tensor<i64>",
       "%0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [4] : (tensor<3xf32>, tensor<i64>) -> "
       "tensor<4xf32>",
       "slice size 4 of dimension 0 is not in [0, 3]"},
      {"dynamic_slice_c5", "%arg0: tensor<3xf32>, %arg1: tensor<i64>",
       "%0 = stablehlo.dynamic_slice %arg0, %arg1, sizes = [2] : (tensor<3xf32>, tensor<i64>) -> "
       "tensor<3xf32>",
       "must have shape 2, found 3"},
      {"dynamic_update_slice_c1", "%arg0: tensor<3xf32>, %arg1: tensor<i64>",
       "%0 = stablehlo.dynamic_update_slice %arg0, %arg0, %arg1 : (tensor<3xf32>, tensor<3xf32>, "
       "tensor<i64>) -> tensor<4xf32>",
       "'tensor<4xf32>'"},
      {"dynamic_update_slice_c2", "%arg0: tensor<3xf32>, %arg1: tensor<i64>, %arg2: tensor<1xf64>",
       "%0 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg1 : (tensor<3xf32>, tensor<1xf64>, "
       "tensor<i64>) -> tensor<3xf32>",
       "update has 'f64'"},
      {"dynamic_update_slice_c3", "%arg0: tensor<3xf32>, %arg1: tensor<i64>, %arg2: tensor<f32>",
       "%0 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg1 : (tensor<3xf32>, tensor<f32>, "
       "tensor<i64>) -> tensor<3xf32>",
       "update has 0, operand has 1"},
      {"dynamic_update_slice_c4", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.dynamic_update_slice %arg0, %arg0 : (tensor<3xf32>, tensor<3xf32>) -> "
       "tensor<3xf32>",
       "must have 1 elements, found 0"},
      {"dynamic_update_slice_c5", "%arg0: tensor<3x3xf32>, %arg1: tensor<i64>, %arg2: tensor<i32>",
       "%0 = stablehlo.dynamic_update_slice %arg0, %arg0, %arg1, %arg2 : (tensor<3x3xf32>, "
       "tensor<3x3xf32>, tensor<i64>, tensor<i32>) -> tensor<3x3xf32>",
       "same type"},
      {"dynamic_update_slice_c6", "%arg0: tensor<3xf32>, %arg1: tensor<i64>, %arg2: tensor<5xf32>",
       "%0 = stablehlo.dynamic_update_slice %arg0, %arg2, %arg1 : (tensor<3xf32>, tensor<5xf32>, "
       "tensor<i64>) -> tensor<3xf32>",
       "has size 5, more than the size 3"},
      {"get_dimension_size_c1", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<3xf32>) -> tensor<i32>",
       "found [1]"},
      {"set_dimension_size_c1", "%arg0: tensor<3xf32>, %arg1: tensor<i32>",
       "%0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 2 : (tensor<3xf32>, tensor<i32>) -> "
       "tensor<?xf32>",
       "found [2]"},
      {"set_dimension_size_c2", "%arg0: tensor<3x2xf32>, %arg1: tensor<i32>",
       "%0 = stablehlo.set_dimension_size %arg0, %arg1, dim = 0 : (tensor<3x2xf32>, tensor<i32>) "
       "-> tensor<?x4xf32>",
       "found 0x4"},
      {"iota_c1", "", "%0 = stablehlo.iota dim = 0 : tensor<i32>", "[0, 0), found [0]"},
      {"pad_c1", "%arg0: tensor<3xf32>, %arg1: tensor<f64>",
       "%0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [0] : (tensor<3xf32>, "
       "tensor<f64>) -> tensor<3xf32>",
       "padding_value has 'f64'"},
      {"pad_c2", "%arg0: tensor<3xf32>, %arg1: tensor<f32>",
       "%0 = stablehlo.pad %arg0, %arg1, low = [0], high = [], interior = [0] : (tensor<3xf32>, "
       "tensor<f32>) -> tensor<3xf32>",
       "edge_padding_high must have 1 elements, found 0"},
      {"pad_c3", "%arg0: tensor<3xf32>, %arg1: tensor<f32>",
       "%0 = stablehlo.pad %arg0, %arg1, low = [0], high = [0], interior = [-1] : (tensor<3xf32>, "
       "tensor<f32>) -> tensor<1xf32>",
       "[-1]"},
      {"pad_c4", "%arg0: tensor<3xf32>, %arg1: tensor<f32>",
       "%0 = stablehlo.pad %arg0, %arg1, low = [1], high = [-2], interior = [2] : (tensor<3xf32>, "
       "tensor<f32>) -> tensor<7xf32>",
       "must have shape 6, found 7"},
      {"pad_c4", "%arg0: tensor<3xf32>, %arg1: tensor<f32>",
       "%0 = stablehlo.pad %arg0, %arg1, low = [-9], high = [0], interior = [0] : (tensor<3xf32>, "
       "tensor<f32>) -> tensor<?xf32>",
       "negative"},
      {"pad_c4", "%arg0: tensor<3xf32>, %arg1: tensor<f32>",
       "%0 = stablehlo.pad %arg0, %arg1, low = [9223372036854775807], high = "
       "[9223372036854775807], interior = [9223372036854775807] : (tensor<3xf32>, tensor<f32>) -> "
       "tensor<?xf32>",
       "too large"},
      {"reshape_c1", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.reshape %arg0 : (tensor<3xf32>) -> tensor<3xi32>", "'i32'"},
      {"reshape_c2", "%arg0: tensor<2x3xf32>",
       "%0 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<8xf32>",
       "operand has 6, result has 8"},
      {"reshape_c2", "%arg0: tensor<4294967296x4294967296x2xf32>",
       "%0 = stablehlo.reshape %arg0 : (tensor<4294967296x4294967296x2xf32>) -> tensor<8xf32>",
       "overflows"},
      {"reverse_c1", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.reverse %arg0, dims = [0] : (tensor<3xf32>) -> tensor<4xf32>", "4xf32"},
      {"reverse_c2", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.reverse %arg0, dims = [0, 0] : tensor<3xf32>", "found [0, 0]"},
      {"reverse_c3", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.reverse %arg0, dims = [1] : tensor<3xf32>", "found [1]"},
      {"slice_c1", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.slice %arg0 [0:1] : (tensor<3xf32>) -> tensor<1xf64>", "'f64'"},
      {"slice_c2", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.slice %arg0 [0:1, 0:1] : (tensor<3xf32>) -> tensor<1xf32>",
       "must have 1 elements, found 2"},
      {"slice_c3", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.slice %arg0 [1:4] : (tensor<3xf32>) -> tensor<3xf32>",
       "slice [1:4] of dimension 0 does not lie in [0, 3]"},
      {"slice_c4", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.slice %arg0 [0:3:0] : (tensor<3xf32>) -> tensor<3xf32>", "found [0]"},
      {"slice_c5", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.slice %arg0 [0:3:2] : (tensor<3xf32>) -> tensor<1xf32>",
       "must have shape 2, found 1"},
      {"transpose_c1", "%arg0: tensor<3xf32>",
       "%0 = stablehlo.transpose %arg0, dims = [0] : (tensor<3xf32>) -> tensor<3xf64>", "'f64'"},
      {"transpose_c2", "%arg0: tensor<2x3xf32>",
       "%0 = stablehlo.transpose %arg0, dims = [1, 1] : (tensor<2x3xf32>) -> tensor<3x3xf32>",
       "found [1, 1]"},
      {"transpose_c3", "%arg0: tensor<2x3xf32>",
       "%0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
       "must have shape 3x2, found 2x3"},
  });
}

TEST(StablehloConstraints, Dynamic) {
  expectViolations({
      {"dynamic_broadcast_in_dim_c1", "%arg0: tensor<1xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] : (tensor<1xf32>, "
       "tensor<1xi32>) -> tensor<?xf64>",
       "'f64'"},
      {"dynamic_broadcast_in_dim_c2", "%arg0: tensor<1xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [] : (tensor<1xf32>, "
       "tensor<1xi32>) -> tensor<?xf32>",
       "found 0"},
      {"dynamic_broadcast_in_dim_c3", "%arg0: tensor<1xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [3] : (tensor<1xf32>, "
       "tensor<1xi32>) -> tensor<?xf32>",
       "found [3]"},
      {"dynamic_broadcast_in_dim_c4", "%arg0: tensor<1x1xf32>, %arg1: tensor<2xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0, 0] : (tensor<1x1xf32>, "
       "tensor<2xi32>) -> tensor<?x?xf32>",
       "found [0, 0]"},
      {"dynamic_broadcast_in_dim_c5", "%arg0: tensor<2xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] : (tensor<2xf32>, "
       "tensor<1xi32>) -> tensor<3xf32>",
       "has size 2"},
      {"dynamic_broadcast_in_dim_c7", "%arg0: tensor<1xf32>, %arg1: tensor<2xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] : (tensor<1xf32>, "
       "tensor<2xi32>) -> tensor<?xf32>",
       "must have 1 elements, found 2"},
      {"dynamic_broadcast_in_dim_c8", "%arg0: tensor<1xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] "
       "{known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: "
       "0>} : (tensor<1xf32>, tensor<1xi32>) -> tensor<?xf32>",
       "found [0, 0]"},
      {"dynamic_broadcast_in_dim_c9", "%arg0: tensor<1xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] "
       "{known_expanding_dimensions = array<i64: 5>} : (tensor<1xf32>, tensor<1xi32>) -> "
       "tensor<?xf32>",
       "found [5]"},
      {"dynamic_broadcast_in_dim_c10", "%arg0: tensor<1xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg1, dims = [0] "
       "{known_nonexpanding_dimensions = array<i64: 5>} : (tensor<1xf32>, tensor<1xi32>) -> "
       "tensor<?xf32>",
       "found [5]"},
      {"dynamic_iota_c1", "%arg0: tensor<1xi32>",
       "%0 = stablehlo.dynamic_iota %arg0, dim = 1 : (tensor<1xi32>) -> tensor<?xi32>",
       "found [1]"},
      {"dynamic_iota_c2", "%arg0: tensor<2xi32>",
       "%0 = stablehlo.dynamic_iota %arg0, dim = 0 : (tensor<2xi32>) -> tensor<?xi32>", "found 2"},
      {"dynamic_pad_c1", "%arg0: tensor<?xf32>, %arg1: tensor<f64>, %arg2: tensor<1xi32>",
       "%0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<?xf32>, "
       "tensor<f64>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>",
       "'f64'"},
      {"dynamic_pad_c2", "%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: tensor<2xi32>",
       "%0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<?xf32>, "
       "tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>",
       "found 2"},
      {"dynamic_pad_c4", "%arg0: tensor<?xf32>, %arg1: tensor<f32>, %arg2: tensor<1xi32>",
       "%0 = stablehlo.dynamic_pad %arg0, %arg1, %arg2, %arg2, %arg2 : (tensor<?xf32>, "
       "tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x?xf32>",
       "result has 2, operand has 1"},
      {"dynamic_reshape_c1", "%arg0: tensor<?xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<?xf32>, tensor<1xi32>) -> "
       "tensor<?xf64>",
       "'f64'"},
      {"dynamic_reshape_c2", "%arg0: tensor<4xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<4xf32>, tensor<1xi32>) -> "
       "tensor<5xf32>",
       "operand is 4, result is 5"},
      {"dynamic_reshape_c4", "%arg0: tensor<4xf32>, %arg1: tensor<2xi32>",
       "%0 = stablehlo.dynamic_reshape %arg0, %arg1 : (tensor<4xf32>, tensor<2xi32>) -> "
       "tensor<?xf32>",
       "found 2"},
      {"real_dynamic_slice_c1", "%arg0: tensor<4xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<4xf32>, "
       "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf64>",
       "'f64'"},
      {"real_dynamic_slice_c2", "%arg0: tensor<4xf32>, %arg1: tensor<2xi32>",
       "%0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<4xf32>, "
       "tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>",
       "start_indices must have 1 elements, found 2"},
      {"real_dynamic_slice_c3", "%arg0: tensor<4xf32>, %arg1: tensor<1xi32>",
       "%0 = stablehlo.real_dynamic_slice %arg0, %arg1, %arg1, %arg1 : (tensor<4xf32>, "
       "tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?x?xf32>",
       "result has 2"},
  });
}

}  // namespace
}  // namespace vintage::tests
