#include "tests/golden/program/stablehlo/operation_texts.h"

namespace vintage::tests {

const std::vector<OperationText> kCommunicationTexts = {
    {"", "%0 = stablehlo.create_token : !stablehlo.token"},
    {"%arg0: !stablehlo.token", "%0 = stablehlo.after_all %arg0, %arg0 : !stablehlo.token"},
    {"", "%0 = stablehlo.after_all  : !stablehlo.token"},
    {"", "%0 = stablehlo.replica_id : tensor<ui32>"},
    {"", "%0 = stablehlo.partition_id : tensor<ui32>"},
    {"", "stablehlo.optimization_barrier()"},
    {"%arg0: tensor<f32>, %arg1: !stablehlo.token",
     "%0:2 = stablehlo.optimization_barrier %arg0, %arg1 : tensor<f32>, !stablehlo.token"},
    {"%arg0: tensor<f32>, %arg1: tensor<i32>",
     "%0 = stablehlo.tuple %arg0, %arg1 {xla_shape = \"x\"} : tuple<tensor<f32>, tensor<i32>>"},
    {"", "%0 = stablehlo.tuple  : tuple<>"},
    {"%arg0: tuple<tensor<f32>, tensor<i32>>",
     "%0 = stablehlo.get_tuple_element %arg0[1] : (tuple<tensor<f32>, tensor<i32>>) -> "
     "tensor<i32>"},
    {"%arg0: tensor<f32>",
     "%0:2 = stablehlo.custom_call @foo(%arg0, %arg0) {api_version = 2 : i32, backend_config = "
     "\"bar\", has_side_effect = true, operand_layouts = [dense<> : tensor<0xindex>, dense<> : "
     "tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<"
     "output_tuple_indices = [0], operand_index = 1, operand_tuple_indices = []>], result_layouts "
     "= [dense<> : tensor<0xindex>, dense<> : tensor<0xindex>]} : (tensor<f32>, tensor<f32>) -> "
     "(tensor<f32>, tensor<f32>)"},
    {"", "stablehlo.custom_call @\"not an identifier\"() : () -> ()"},
    {"%arg0: tensor<8x2xf32>",
     "%0 = stablehlo.custom_call @bar(%arg0) {api_version = 4 : i32, backend_config = {level = 3 : "
     "i64}, result_tilings = [[dense<[8, 128]> : tensor<2xindex>]]} : (tensor<8x2xf32>) -> "
     "tensor<8x2xf32>"},
    {"%arg0: tensor<i64>",
     "%0 = stablehlo.composite \"lib.add_n\" %arg0 {composite_attributes = {n = 2 : i64}, "
     "decomposition = @add_n, version = 1 : i32} : (tensor<i64>) -> tensor<i64>"},
    // JAX's chlo.scan has such arrays; portable artifacts keep those of the builtin dialect.
    {"%arg0: tensor<i64>",
     "%0 = stablehlo.composite \"lib.scan\" %arg0 {composite_attributes = {none = array<i16>, "
     "sizes = array<i32: 1, -2>, weights = array<f32: 5.000000e-01>}, decomposition = @scan} : "
     "(tensor<i64>) -> tensor<i64>"},
    {"%arg0: tensor<i64>",
     R"(%0 = stablehlo.composite "lib.id" %arg0 {decomposition = @id} : (tensor<i64>) -> tensor<i64> ({
      stablehlo.return %arg0 : tensor<i64>
    }))"},
    {"%arg0: !stablehlo.token",
     "%0:2 = \"stablehlo.infeed\"(%arg0) <{infeed_config = \"x\", layout = [[0]]}> : "
     "(!stablehlo.token) -> (tensor<3xi32>, !stablehlo.token)"},
    {"%arg0: tensor<3xi32>, %arg1: !stablehlo.token",
     "%0 = \"stablehlo.outfeed\"(%arg0, %arg1) <{outfeed_config = \"\"}> : (tensor<3xi32>, "
     "!stablehlo.token) -> !stablehlo.token"},
    {"%arg0: tensor<3xi32>, %arg1: !stablehlo.token",
     "%0 = \"stablehlo.send\"(%arg0, %arg1) <{channel_handle = #stablehlo.channel_handle<handle = "
     "5, type = 2>, is_host_transfer = true}> : (tensor<3xi32>, !stablehlo.token) -> "
     "!stablehlo.token"},
    {"%arg0: !stablehlo.token",
     "%0:2 = \"stablehlo.recv\"(%arg0) <{channel_handle = #stablehlo.channel_handle<handle = 5, "
     "type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3xi32>, "
     "!stablehlo.token)"},
    {"%arg0: tensor<2x2xf32>",
     "%0 = \"stablehlo.all_gather\"(%arg0) <{all_gather_dim = 1 : i64, channel_handle = "
     "#stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : "
     "tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x2xf32>) -> tensor<2x4xf32>"},
    {"%arg0: tensor<4xf32>",
     R"(%0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>, #stablehlo.axis_ref<name = "y">]>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"%arg0: tensor<2x4xf32>",
     "%0 = \"stablehlo.all_to_all\"(%arg0) <{concat_dimension = 0 : i64, replica_groups = "
     "dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 1 : "
     "i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>"},
    {"%arg0: tensor<2xf32>",
     "%0 = \"stablehlo.collective_broadcast\"(%arg0) <{replica_groups = dense<[[1, 0]]> : "
     "tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>"},
    {"%arg0: tensor<2xf32>",
     "%0 = \"stablehlo.collective_permute\"(%arg0) <{source_target_pairs = dense<[[0, 1], [1, "
     "0]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<2xf32>"},
    {"%arg0: tensor<4xf32>",
     R"(%0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>)"},
    {"%arg0: tensor<4xf32>",
     R"(%0 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = stablehlo.add %arg1, %arg2 : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>)"},
    {"%arg0: tensor<4xf32>",
     "%0 = \"stablehlo.cross-replica-sum\"(%arg0) <{replica_groups = dense<[[0, 1]]> : "
     "tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>"},
    {"%arg0: tensor<4xf32>",
     R"(%0 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg1: tensor<4xf32>):
      stablehlo.return %arg1 : tensor<4xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>)"},
    {"%arg0: !stablehlo.future<tensor<4xf32>>",
     "%0 = \"stablehlo.async_done\"(%arg0) : (!stablehlo.future<tensor<4xf32>>) -> "
     "tensor<4xf32>"},
};

}  // namespace vintage::tests
