#include "tests/golden/program/stablehlo/violations.h"

namespace vintage::tests {
namespace {

// Batched over dimension 1 of the operand and 0 of the indices.
const OperationText kGather = {
    "%arg0: tensor<3x4x5x6xi32>, %arg1: tensor<4x2x3xi64>",
    "%0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = #stablehlo.gather<offset_dims = "
    "[2, 3], collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims "
    "= [0], start_index_map = [0, 2, 3], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 2, "
    "3>}> : (tensor<3x4x5x6xi32>, tensor<4x2x3xi64>) -> tensor<4x2x2x3xi32>"};

TEST(StablehloConstraints, Gather) {
  expectChangesRefused(
      kGather,
      {
          {"gather_c1", "collapsed_slice_dims = [0]", "collapsed_slice_dims = []", "found 3 and 4"},
          {"gather_c2", "index_vector_dim = 2", "index_vector_dim = 4", "[0, 4), found [4]"},
          {"gather_c3", "start_index_map = [0, 2, 3]", "start_index_map = [0, 2]",
           "must have 3 elements, as many as an index vector, found 2"},
          {"gather_c4", "offset_dims = [2, 3]", "offset_dims = [2, 2]", "unique, found [2, 2]"},
          {"gather_c4", "offset_dims = [2, 3]", "offset_dims = [3, 2]", "sorted, found [3, 2]"},
          {"gather_c5", "offset_dims = [2, 3]", "offset_dims = [2, 4]", "found [2, 4]"},
          {"gather_c6", "operand_batching_dims = [1]", "operand_batching_dims = [0]",
           "found [0, 0]"},
          {"gather_c8", "collapsed_slice_dims = [0]", "collapsed_slice_dims = [4]", "found [4]"},
          {"gather_c9", "array<i64: 1, 1, 2, 3>", "array<i64: 2, 1, 2, 3>", "[2, 1, 2, 3]"},
          {"gather_c11", "operand_batching_dims = [1]", "operand_batching_dims = [7]", "found [7]"},
          {"gather_c12", "array<i64: 1, 1, 2, 3>", "array<i64: 1, 2, 2, 3>",
           "operand_batching_dims [1]"},
          {"gather_c14", "start_indices_batching_dims = [0]", "start_indices_batching_dims = [3]",
           "found [3]"},
          {"gather_c15", "start_indices_batching_dims = [0]", "start_indices_batching_dims = [2]",
           "index_vector_dim 2"},
          {"gather_c16", "start_indices_batching_dims = [0]",
           "start_indices_batching_dims = [0, 1]", "found [1] and [0, 1]"},
          {"gather_c17", "start_indices_batching_dims = [0]", "start_indices_batching_dims = [1]",
           "has size 4, batching dimension 1 of the indices has size 2"},
          {"gather_c13", "start_indices_batching_dims = [0]",
           "start_indices_batching_dims = [0, 0]", "found [0, 0]"},
          {"gather_c18", "start_index_map = [0, 2, 3]", "start_index_map = [0, 1, 3]",
           "found [0, 1, 3, 1]"},
          {"gather_c19", "start_index_map = [0, 2, 3]", "start_index_map = [0, 2, 9]",
           "found [0, 2, 9]"},
          {"gather_c20", "array<i64: 1, 1, 2, 3>", "array<i64: 1, 1, 2>", "found 3"},
          {"gather_c21", "array<i64: 1, 1, 2, 3>", "array<i64: 1, 1, 6, 3>",
           "slice size 6 of dimension 2"},
          {"gather_c22", "-> tensor<4x2x2x3xi32>", "-> tensor<4x2x2x4xi32>",
           "must have shape 4x2x2x3, found 4x2x2x4"},
          {"gather_c22", "-> tensor<4x2x2x3xi32>", "-> tensor<4x2x2x3x1xi32>", "found 5"},
          {"gather_c23", "-> tensor<4x2x2x3xi32>", "-> tensor<4x2x2x3xf32>", "'f32'"},
      });
  expectChangesRefused(
      {"%arg0: tensor<3x4x5xi32>, %arg1: tensor<2xi64>",
       "%0 = \"stablehlo.gather\"(%arg0, %arg1) <{dimension_numbers = "
       "#stablehlo.gather<offset_dims "
       "= [0], collapsed_slice_dims = [0, 1], start_index_map = [0, 1]>, slice_sizes = array<i64: "
       "1, 1, 5>}> : (tensor<3x4x5xi32>, tensor<2xi64>) -> tensor<5xi32>"},
      {
          {"gather_c7", "collapsed_slice_dims = [0, 1]", "collapsed_slice_dims = [1, 0]",
           "found [1, 0]"},
          {"gather_c10", "collapsed_slice_dims = [0, 1]", "operand_batching_dims = [1, 0]",
           "found [1, 0]"},
      });
}

TEST(StablehloConstraints, DynamicGather) {
  expectChangesRefused(
      {"%arg0: tensor<?x4xf32>, %arg1: tensor<1xi64>, %arg2: tensor<2xi32>",
       "%0 = \"stablehlo.dynamic_gather\"(%arg0, %arg1, %arg2) <{dimension_numbers = "
       "#stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>}> : (tensor<?x4xf32>, "
       "tensor<1xi64>, tensor<2xi32>) -> tensor<?x2xf32>"},
      {
          {"dynamic_gather_c1", "offset_dims = [0, 1]", "offset_dims = [0]", "found 1 and 2"},
          {"dynamic_gather_c22", "-> tensor<?x2xf32>", "-> tensor<?x2x3xf32>", "found 3"},
          {"dynamic_gather_c23", "-> tensor<?x2xf32>", "-> tensor<?x2xf64>", "'f64'"},
      });
}

const OperationText kScatter = {
    "%arg0: tensor<3x4x5x6xi32>, %arg1: tensor<4x2x3xi64>, %arg2: tensor<4x2x2x3xi32>",
    R"(%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3], inserted_window_dims = [0], input_batching_dims = [1], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [0, 2, 3], index_vector_dim = 2>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3x4x5x6xi32>, tensor<4x2x3xi64>, tensor<4x2x2x3xi32>) -> tensor<3x4x5x6xi32>)"};

TEST(StablehloConstraints, Scatter) {
  expectChangesRefused(
      kScatter,
      {
          {"scatter_c2", "inserted_window_dims = [0]", "inserted_window_dims = []",
           "found 3 and 4"},
          {"scatter_c7", "update_window_dims = [2, 3]", "update_window_dims = [3, 2]",
           "found [3, 2]"},
          {"scatter_c7", "update_window_dims = [2, 3]", "update_window_dims = [2, 2]",
           "found [2, 2]"},
          {"scatter_c8", "update_window_dims = [2, 3]", "update_window_dims = [2, 4]",
           "found [2, 4]"},
          {"scatter_c9", "inserted_window_dims = [0]", "inserted_window_dims = [1]",
           "found [1, 1]"},
          {"scatter_c11", "inserted_window_dims = [0]", "inserted_window_dims = [5]", "found [5]"},
          {"scatter_c13", "input_batching_dims = [1]", "input_batching_dims = [5]", "found [5]"},
          {"scatter_c14", "scatter_indices_batching_dims = [0]",
           "scatter_indices_batching_dims = [0, 0]", "found [0, 0]"},
          {"scatter_c15", "scatter_indices_batching_dims = [0]",
           "scatter_indices_batching_dims = [3]", "found [3]"},
          {"scatter_c16", "scatter_indices_batching_dims = [0]",
           "scatter_indices_batching_dims = [2]", "index_vector_dim 2"},
          {"scatter_c17", "scatter_indices_batching_dims = [0], ", "", "found [1] and []"},
          {"scatter_c18", "scatter_indices_batching_dims = [0]",
           "scatter_indices_batching_dims = [1]", "has size 2"},
          {"scatter_c19", "scatter_dims_to_operand_dims = [0, 2, 3]",
           "scatter_dims_to_operand_dims = [0, 2]", "found 2"},
          {"scatter_c20", "scatter_dims_to_operand_dims = [0, 2, 3]",
           "scatter_dims_to_operand_dims = [0, 2, 1]", "found [0, 2, 1, 1]"},
          {"scatter_c21", "scatter_dims_to_operand_dims = [0, 2, 3]",
           "scatter_dims_to_operand_dims = [0, 2, 4]", "found [0, 2, 4]"},
          {"scatter_c22", "index_vector_dim = 2", "index_vector_dim = 4", "found [4]"},
          {"scatter_c23", "%arg4: tensor<i32>)", "%arg4: tensor<i32>, %arg5: tensor<i32>)",
           "must take 2 arguments, found 3"},
          {"scatter_c23", "%arg3: tensor<i32>", "%arg3: tensor<f32>", "argument 0"},
          {"scatter_c24", "-> tensor<3x4x5x6xi32>", "-> tensor<3x4x5x7xi32>", "3x4x5x7"},
      });
  // Types stand in the arguments and in the operation.
  expectViolations({
      {"scatter_c4", "%arg0: tensor<3xi32>, %arg1: tensor<2x1xi64>, %arg2: tensor<5xi32>",
       R"(%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3xi32>, tensor<2x1xi64>, tensor<5xi32>) -> tensor<3xi32>)",
       "dimension 0 of updates has size 5"},
      {"scatter_c6", "%arg0: tensor<3xi32>, %arg1: tensor<2x1xi64>, %arg2: tensor<2xf32>",
       R"(%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3xi32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<3xi32>)",
       "updates has 'f32'"},
      {"scatter_c5", "%arg0: tensor<2x1xi64>",
       R"("stablehlo.scatter"(%arg0) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
      stablehlo.return
    }) : (tensor<2x1xi64>) -> ())",
       "found 0, 0 and 0"},
  });
  const OperationText kTwo = {
      "%arg0: tensor<3xi32>, %arg1: tensor<3xi32>, %arg2: tensor<2x1xi64>, %arg3: tensor<2xi32>, "
      "%arg4: tensor<2xi32>, %arg5: tensor<4xi32>",
      R"(%0:2 = "stablehlo.scatter"(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
      stablehlo.return %c, %d : tensor<i32>, tensor<i32>
    }) : (tensor<3xi32>, tensor<3xi32>, tensor<2x1xi64>, tensor<2xi32>, tensor<2xi32>) -> (tensor<3xi32>, tensor<3xi32>))"};
  expectChangesRefused(
      kTwo,
      {
          {"scatter_c1",
           "(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = "
           "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
           "index_vector_dim = 1>}> ({\n    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: "
           "tensor<i32>, "
           "%d: tensor<i32>):\n      stablehlo.return %c, %d : tensor<i32>, tensor<i32>\n    }) : "
           "(tensor<3xi32>, tensor<3xi32>",
           "(%arg0, %arg5, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = "
           "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
           "index_vector_dim = 1>}> ({\n    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: "
           "tensor<i32>, "
           "%d: tensor<i32>):\n      stablehlo.return %c, %d : tensor<i32>, tensor<i32>\n    }) : "
           "(tensor<3xi32>, tensor<4xi32>",
           "input 1 has 4"},
          {"scatter_c3",
           "(%arg0, %arg1, %arg2, %arg3, %arg4) <{scatter_dimension_numbers = "
           "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
           "index_vector_dim = 1>}> ({\n    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: "
           "tensor<i32>, "
           "%d: tensor<i32>):\n      stablehlo.return %c, %d : tensor<i32>, tensor<i32>\n    }) : "
           "(tensor<3xi32>, tensor<3xi32>, tensor<2x1xi64>, tensor<2xi32>, tensor<2xi32>)",
           "(%arg0, %arg1, %arg2, %arg3, %arg5) <{scatter_dimension_numbers = "
           "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
           "index_vector_dim = 1>}> ({\n    ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: "
           "tensor<i32>, "
           "%d: tensor<i32>):\n      stablehlo.return %c, %d : tensor<i32>, tensor<i32>\n    }) : "
           "(tensor<3xi32>, tensor<3xi32>, tensor<2x1xi64>, tensor<2xi32>, tensor<4xi32>)",
           "update 1 has 4"},
          {"scatter_c23", "stablehlo.return %c, %d : tensor<i32>, tensor<i32>",
           "stablehlo.return %c : tensor<i32>", "must give 2 values, found 1"},
      });
}

// scatter_c10 and c12 ask for sorted dimensions.
TEST(StablehloConstraints, ScatterDimensionsAreSorted) {
  expectChangesRefused(
      {"%arg0: tensor<3x4x5xi32>, %arg1: tensor<3x4x1xi64>, %arg2: tensor<3x4xi32>",
       R"(%0 = "stablehlo.scatter"(%arg0, %arg1, %arg2) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 2>}> ({
    ^bb0(%arg3: tensor<i32>, %arg4: tensor<i32>):
      stablehlo.return %arg4 : tensor<i32>
    }) : (tensor<3x4x5xi32>, tensor<3x4x1xi64>, tensor<3x4xi32>) -> tensor<3x4x5xi32>)"},
      {
          {"scatter_c12", "input_batching_dims = [0, 1]", "input_batching_dims = [1, 0]",
           "found [1, 0]"},
          {"scatter_c10", "inserted_window_dims = [2], input_batching_dims = [0, 1]",
           "inserted_window_dims = [2, 1], input_batching_dims = [0]", "found [2, 1]"},
      });
}

}  // namespace
}  // namespace vintage::tests
