#include "tests/golden/program/stablehlo/violations.h"

namespace vintage::tests {
namespace {

TEST(StablehloConstraints, ControlFlow) {
  expectChangesRefused(
      {"%arg0: tensor<i1>, %arg1: tensor<f32>",
       R"(%0 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }, {
      %s = stablehlo.negate %arg1 : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>)"},
      {
          {"if_c1", "({\n", "({\n    ^bb0(%x: tensor<f32>):\n", "must take no arguments, found 1"},
          {"if_c3", "-> tensor<f32>", "-> tensor<f64>", "tensor<f64>"},
          {"if_c3", "return %s : tensor<f32>", "return %s, %s : tensor<f32>, tensor<f32>",
           "false_branch's results"},
      });
  expectChangesRefused(
      {"%arg0: tensor<i32>, %arg1: tensor<f32>",
       R"(%0 = "stablehlo.case"(%arg0) ({
      stablehlo.return %arg1 : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>)"},
      {
          {"case_c1", "({\n      stablehlo.return %arg1 : tensor<f32>\n    })", "", "at least one"},
          {"case_c2", "({\n", "({\n    ^bb0(%x: tensor<f32>):\n", "found 1"},
          {"case_c4", "-> tensor<f32>", "-> tensor<2xf32>", "branch 0's results"},
      });
  expectChangesRefused(
      {"%arg0: tensor<i64>, %arg1: tensor<i1>",
       R"(%0 = "stablehlo.while"(%arg0) ({
    ^bb0(%a: tensor<i64>):
      stablehlo.return %arg1 : tensor<i1>
    }, {
    ^bb0(%b: tensor<i64>):
      stablehlo.return %b : tensor<i64>
    }) : (tensor<i64>) -> tensor<i64>)"},
      {
          {"while_c1", "%a: tensor<i64>", "%a: tensor<i32>", "tensor<i32>"},
          {"while_c1", "return %arg1 : tensor<i1>", "return %a : tensor<i64>", "one tensor<i1>"},
          {"while_c2", "^bb0(%b: tensor<i64>)", "^bb0(%b: tensor<i64>, %c: tensor<i64>)",
           "arguments of body"},
          {"while_c2", "return %b : tensor<i64>", "return %arg1 : tensor<i1>", "results of body"},
          {"while_c3", "-> tensor<i64>", "-> tensor<i32>", "tensor<i32>"},
      });
  expectViolations({
      {"if_c1", "%arg0: tensor<2xi1>",
       "\"stablehlo.if\"(%arg0) ({\n      stablehlo.return\n    }, {\n      stablehlo.return\n    "
       "}) : (tensor<2xi1>) -> ()",
       "tensor<2xi1>"},
      {"case_c1", "%arg0: tensor<2xi32>",
       "\"stablehlo.case\"(%arg0) ({\n      stablehlo.return\n    }) : (tensor<2xi32>) -> ()",
       "tensor<2xi32>"},
      {"optimization_barrier_c1", "%arg0: tensor<2xi32>",
       "%0 = \"stablehlo.optimization_barrier\"(%arg0) : (tensor<2xi32>) -> tensor<3xi32>",
       "tensor<3xi32>"},
      {"tuple_c1", "%arg0: tensor<2xi32>",
       "%0 = \"stablehlo.tuple\"(%arg0) : (tensor<2xi32>) -> tuple<tensor<3xi32>>",
       "tensor<3xi32>"},
      {"get_tuple_element_c1", "%arg0: tuple<tensor<f32>>",
       "%0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<f32>>) -> tensor<f32>",
       "[0, 1), found [1]"},
      {"get_tuple_element_c2", "%arg0: tuple<tensor<f32>>",
       "%0 = stablehlo.get_tuple_element %arg0[0] : (tuple<tensor<f32>>) -> tensor<f64>",
       "tensor<f64>"},
  });
}

TEST(StablehloConstraints, Collectives) {
  expectChangesRefused(
      {"%arg0: tensor<2x2xf32>",
       "%0 = \"stablehlo.all_gather\"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = "
       "#stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : "
       "tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<2x4xf32>"},
      {
          {"all_gather_c1", "all_gather_dim = 1", "all_gather_dim = 2", "found [2]"},
          {"all_gather_c2", "[[0, 1]]", "[[1, 1]]", "found [1, 1]"},
          {"all_gather_c4", "[[0, 1]]", "[[0, 2]]", "ids 0 to 1, found 2"},
          {"all_gather_c4", "[[0, 1]]", "[[0, -5]]", "found -5"},
          {"all_gather_c5", "handle = 1", "handle = 0", "positive channel id, found 0"},
          {"all_gather_c6", "-> tensor<2x4xf32>", "-> tensor<2x3xf32>",
           "size 2 of operand, found 3"},
          {"all_gather_c6", "-> tensor<2x4xf32>", "-> tensor<3x4xf32>", "tensor<3x4xf32>"},
          {"all_gather_c6", "-> tensor<2x4xf32>", "-> tensor<2x4xf64>", "tensor<2x4xf64>"},
      });
  const OperationText kReduce = {
      "%arg0: tensor<4xf32>, %arg1: tensor<i32>",
      R"("stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>)"};
  expectChangesRefused(
      kReduce,
      {
          {"all_reduce_c1", "dense<[[0, 1]]> : tensor<1x2xi64>", "dense<[0, 1]> : tensor<2xi64>",
           "found 1"},
          {"all_reduce_c3", "[[0, 1]]", "[[0, 7]]", "found 7"},
          {"all_reduce_c4", "tensor<1x2xi64>", "tensor<1x2xi64>, use_global_device_ids", "found 0"},
          {"all_reduce_c5", "return %a : tensor<f32>", "return %arg1 : tensor<i32>", "tensor<i32>"},
          {"all_reduce_c6", "-> tensor<4xf32>", "-> tensor<5xf32>", "must have shape 4, found 5"},
          {"all_reduce_c6", "-> tensor<4xf32>", "-> tensor<4xi32>", "tensor<4xi32>"},
          {"all_reduce_c6", "-> tensor<4xf32>", "-> (tensor<4xf32>, tensor<4xf32>)", "found 2"},
      });
  expectChangesRefused(
      {"%arg0: tensor<2x4xf32>",
       "%0 = \"stablehlo.all_to_all\"(%arg0) <{concat_dimension = 0 : i64, replica_groups = "
       "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : "
       "i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>"},
      {
          {"all_to_all_c1", "split_dimension = 1", "split_dimension = 2", "found [2]"},
          {"all_to_all_c2", "split_count = 2", "split_count = 3", "has size 4"},
          {"all_to_all_c3", "concat_dimension = 0", "concat_dimension = 5", "found [5]"},
          {"all_to_all_c5", "[2, 3]", "[2, 2]", "found [0, 1, 2, 2]"},
          {"all_to_all_c7", "[2, 3]", "[2, 4]", "found 4"},
          {"all_to_all_c8", "split_count = 2", "split_count = 4", "found 2 and 4"},
          {"all_to_all_c9", "-> tensor<4x2xf32>", "-> tensor<4x4xf32>",
           "must have shape 4x2, found 4x4"},
      });
  expectChangesRefused(
      {"%arg0: tensor<2xf32>",
       "%0 = \"stablehlo.collective_permute\"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, "
       "0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>"},
      {
          {"collective_permute_c1", "dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>",
           "dense<0> : tensor<2xi64>", "found 2"},
          {"collective_permute_c2", "[1, 0]", "[0, 0]", "found [0, 0]"},
          {"collective_permute_c3", "[1, 0]", "[1, 1]", "found [1, 1]"},
          {"collective_permute_c4", "[1, 0]", "[1, -4]", "found -4"},
          {"collective_permute_c5", "-> tensor<2xf32>", "-> tensor<3xf32>", "tensor<3xf32>"},
      });
  expectChangesRefused(
      {"%arg0: tensor<2xf32>",
       "%0 = \"stablehlo.collective_broadcast\"(%arg0) <{replica_groups = dense<[[1, 0]]> : "
       "tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>"},
      {
          {"collective_broadcast_c1", "[[1, 0]]", "[[0, 0]]", "found [0, 0]"},
          {"collective_broadcast_c2", "[[1, 0]]", "[[-2, 0]]", "found -2"},
      });
  expectChangesRefused(
      {"%arg0: tensor<4xf32>",
       R"(%0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>)"},
      {
          {"collective_reduce_c1", "[[0, 1]]", "[[1, 1]]", "found [1, 1]"},
          {"collective_reduce_c3", "[[0, 1]]", "[[0, 3]]", "found 3"},
          {"collective_reduce_c4", "tensor<1x2xi64>", "tensor<1x2xi64>, use_global_device_ids",
           "found 0"},
      });
  const OperationText kScatter = {
      "%arg0: tensor<4xf32>",
      R"(%0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %a : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>)"};
  expectChangesRefused(
      kScatter,
      {
          {"reduce_scatter_c2", "scatter_dimension = 0", "scatter_dimension = 1", "found [1]"},
          {"reduce_scatter_c3", "[[0, 1]]", "[[0, 0]]", "found [0, 0]"},
          {"reduce_scatter_c5", "[[0, 1]]", "[[0, 2]]", "found 2"},
          {"reduce_scatter_c6", "scatter_dimension = 0 : i64",
           "scatter_dimension = 0 : i64, use_global_device_ids", "found 0"},
          {"reduce_scatter_c7", "%b: tensor<f32>)", "%b: tensor<f32>, %c: tensor<f32>)", "found 3"},
          {"reduce_scatter_c8", "-> tensor<2xf32>", "-> tensor<3xf32>",
           "has size 4, which is no multiple of the size 3"},
      });
}

TEST(StablehloConstraints, Communication) {
  expectViolations({
      {"infeed_c1", "%arg0: !stablehlo.token",
       "\"stablehlo.infeed\"(%arg0) <{infeed_config = \"\"}> : (!stablehlo.token) -> ()", "token"},
      {"infeed_c2", "%arg0: !stablehlo.token",
       "%0 = \"stablehlo.infeed\"(%arg0) <{infeed_config = \"\"}> : (!stablehlo.token) -> "
       "tensor<f32>",
       "tensor<f32>"},
      {"recv_c1", "%arg0: !stablehlo.token",
       "%0 = \"stablehlo.recv\"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, "
       "type = 3>}> : (!stablehlo.token) -> !stablehlo.token",
       "must be 1 where is_host_transfer is false, found 3"},
      {"recv_c2", "%arg0: !stablehlo.token",
       "\"stablehlo.recv\"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = "
       "1>}> : (!stablehlo.token) -> ()",
       "at least one"},
      {"recv_c3", "%arg0: !stablehlo.token",
       "%0 = \"stablehlo.recv\"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, "
       "type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> tensor<f32>",
       "tensor<f32>"},
      {"send_c1", "%arg0: !stablehlo.token",
       "%0 = \"stablehlo.send\"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, "
       "type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> !stablehlo.token",
       "must be 2"},
  });
}

}  // namespace
}  // namespace vintage::tests
