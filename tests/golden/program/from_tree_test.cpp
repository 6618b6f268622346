// Programs built from trees: the tree of a text is enough to write the text again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/module/module_tree.h"
#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::HasSubstr;

// Forms that lowerings write: attributes of every form, regions, calls, constants of every width.
constexpr std::string_view kTexts[] = {
    R"(module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<?xui8> {jax.arg_info = "x"}) -> (tensor<2x2xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[1.0, 0xFFC00000], [-0.0, 2.5]]> : tensor<2x2xf32>
    %0 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
    %1 = stablehlo.constant dense<[-8, 7]> : tensor<2xi4>
    %2 = stablehlo.constant dense<(1.0,2.0)> : tensor<3xcomplex<f64>>
    %3 = stablehlo.dot_general %arg0, %arg0, contracting_dims = [1] x [1], precision = [HIGH, HIGHEST] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    %4 = call @helper(%3) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %4 : tensor<2x2xf32>
  }
  func.func private @helper(%arg0: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0:2 = stablehlo.custom_call @lapack(%arg0, %arg0) {api_version = 2 : i32, mhlo.backend_config = {flag = true, low = 1 : i32, rate = 9.500000e-01 : f32, uplo = 76 : ui8}, indices_of_shape_operands = dense<[1, 2]> : tensor<2xi64>, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n], []) {i=2, j=2, k=2, l=2, m=2, n=2}, custom>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<i32>)
    %1 = stablehlo.compare  LT, %0#0, %arg0,  FLOAT : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xi1>
    %2 = stablehlo.select %1, %0#0, %arg0 : tensor<2x2xi1>, tensor<2x2xf32>
    return %2 : tensor<2x2xf32>
  }
})",
    R"(module @jit_g {
  func.func public @main(%arg0: !stablehlo.token {jax.token = true}, %arg1: tensor<4xf32>, %arg2: tensor<2x1xi32>, %arg3: tensor<1x4x4x1xf32>, %arg4: tensor<2x2x1x1xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<1x3x3x1xf32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<4xf32>
     cond {
      %4 = stablehlo.compare  LT, %iterArg, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %4 : tensor<i1>
    } do {
      %4 = "stablehlo.all_reduce"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %5 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %iterArg, %4 : tensor<i32>, tensor<4xf32>
    }
    %1 = "stablehlo.gather"(%0#1, %arg2) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<2x1xi32>) -> tensor<2xf32>
    %2 = stablehlo.convolution(%arg3, %arg4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<2x2x1x1xf32>) -> tensor<1x3x3x1xf32>
    %3 = stablehlo.after_all %arg0 : !stablehlo.token
    return %0#1, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<1x3x3x1xf32>
  }
})",
    R"(module @jit_h {
  sdy.mesh @mesh = <["x"=2, "y"=1]>
  func.func public @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<4xf32> {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%arg1: tensor<2xf32>) {
      %1 = stablehlo.negate %arg1 : tensor<2xf32>
      sdy.return %1 : tensor<2xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})"};

TEST(ProgramFromTree, PrintsAsTheTextThatTheTreeWasReadFrom) {
  ProgramContext context;
  for (const std::string_view text : kTexts) {
    const Result<Program> read = context.parseText(text, "test");
    ASSERT_TRUE(read) << read.error().message;
    const Result<ModuleTree> tree = read->tree();
    ASSERT_TRUE(tree) << tree.error().message;
    const Result<Program> built = context.build(*tree, "test");
    ASSERT_TRUE(built) << built.error().message;
    EXPECT_EQ(built->print(), read->print());
    EXPECT_EQ(canonicalForm(*built->tree()), canonicalForm(*tree));
    EXPECT_EQ(built->writePortableArtifact({1, 13, 0}).value(),
              read->writePortableArtifact({1, 13, 0}).value());
  }
}

// main(x: tensor<2xf32>) that returns the result of `operation` on x.
ModuleTree treeWith(Operation operation) {
  Function main;
  main.name = "main";
  main.isPublic = true;
  main.valueTypes = {tensorOf(ElementType::kF32, {2}), tensorOf(ElementType::kF32, {2})};
  main.argumentTypes = main.resultTypes = {main.valueTypes[0]};
  main.argumentAttributes = main.resultAttributes = {{}};
  Block& block = main.body.blocks.emplace_back();
  block.arguments = {0};
  operation.results = {1};
  block.operations = {std::move(operation), {"func.return", {}, {1}, {}, {}, {}}};
  ModuleTree tree;
  tree.functions.push_back(std::move(main));
  return tree;
}

TEST(ProgramFromTree, SaysWhatIsWrongWithATree) {
  ProgramContext context;
  const auto problem = [&](Operation operation) {
    const Result<Program> program = context.build(treeWith(std::move(operation)), "<case f>");
    return program ? std::string("nothing") : program.error().message;
  };
  EXPECT_EQ(problem({"stablehlo.negate", {}, {0}, {}, {}, {}}), "nothing");
  EXPECT_THAT(problem({"stablehlo.neg", {}, {0}, {}, {}, {}}),
              HasSubstr("<case f>: is not a StableHLO module: stablehlo.neg is no operation"));
  EXPECT_THAT(problem({"stablehlo.negate", {}, {1}, {}, {}, {}}),
              HasSubstr("stablehlo.negate uses a value before it is defined"));
  EXPECT_THAT(problem({"stablehlo.transpose", {{"permutation", Attribute()}}, {0}, {}, {}, {}}),
              HasSubstr("the attribute permutation of stablehlo.transpose is not"));
  EXPECT_THAT(problem({"stablehlo.reverse", {{"dimensions", Shape{3}}}, {0}, {}, {}, {}}),
              HasSubstr("<case f>"));
}

}  // namespace
}  // namespace vintage::tests
