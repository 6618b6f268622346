// Outputs of programs, followed back to what made them.
#include "harness/importer/inspect.h"

#include <gmock/gmock.h>

#include "golden/program/program.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::ElementsAre;

RecordedProgram programOf(std::string_view text) {
  ProgramContext context;
  auto program = context.parseText(text, "<test>");
  EXPECT_TRUE(program) << (program ? "" : program.error().message);
  if (!program) return {};
  auto tree = program->tree();
  EXPECT_TRUE(tree) << (tree ? "" : tree.error().message);
  if (!tree) return {};
  const RecordedProgram made = recordedProgramOf(*tree, program->customCallTargets());
  // It survives as JSON, in which the process that reads artifacts sends it.
  const RecordedProgram back = recordedProgramFromJson(toJson(made));
  EXPECT_EQ(toJson(back), toJson(made));
  return back;
}

std::vector<std::string> makersOf(const RecordedProgram& program) {
  std::vector<std::string> makers;
  for (const RecordedOutput& output : program.outputs) makers.push_back(output.maker);
  return makers;
}

// The form of JAX's svd: NaN where LAPACK reports a failure. The singular values
// come out as they are, and twice themselves are computed.
TEST(ProgramOutputs, FactorsAreFollowedThroughCallsAndSelects) {
  const RecordedProgram program = programOf(R"(
  func.func public @main(%a: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>) {
    %r:2 = call @svd(%a) : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
    %t = stablehlo.transpose %r#1, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %d = stablehlo.add %r#0, %r#0 : tensor<2xf32>
    return %r#0, %t, %d : tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>
  }
  func.func private @svd(%a: tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>) {
    %r:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%a) {api_version = 4 : i32}
      : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2x2xf32>,
                              tensor<i32>)
    %z = stablehlo.constant dense<0> : tensor<i32>
    %p = stablehlo.compare EQ, %r#4, %z : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %n = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %s = stablehlo.select %p, %r#1, %b : tensor<i1>, tensor<2xf32>
    return %s, %r#2 : tensor<2xf32>, tensor<2x2xf32>
  })");
  EXPECT_THAT(program.solvers, ElementsAre("lapack_sgesdd_ffi"));
  EXPECT_THAT(makersOf(program), ElementsAre("lapack_sgesdd_ffi", "lapack_sgesdd_ffi", ""));
  EXPECT_FALSE(program.outputs[0].moved);
  EXPECT_FALSE(program.outputs[0].masked);
  EXPECT_TRUE(program.outputs[1].moved);
  EXPECT_EQ(program.outputs[0].call, program.outputs[1].call);
}

// A function called twice gives two answers; an argument leads back to its own call.
TEST(ProgramOutputs, AnArgumentLeadsBackToTheCaller) {
  const RecordedProgram program = programOf(R"(
  func.func public @main(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>)
      -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %0 = stablehlo.cholesky %a, lower = true : tensor<2x2xf32>
    %1 = call @same(%0) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = call @same(%b) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    return %1, %2 : tensor<2x2xf32>, tensor<2x2xf32>
  }
  func.func private @same(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
    return %a : tensor<2x2xf32>
  })");
  EXPECT_THAT(program.solvers, ElementsAre("stablehlo.cholesky"));
  EXPECT_THAT(makersOf(program), ElementsAre("stablehlo.cholesky", ""));
  EXPECT_FALSE(program.outputs[0].upper);
}

TEST(ProgramOutputs, AnArgumentIsTheOneOfItsNumber) {
  const RecordedProgram program = programOf(R"(
  func.func public @main(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = stablehlo.cholesky %a : tensor<2x2xf32>
    %1 = call @second(%a, %0) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  }
  func.func private @second(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>) -> tensor<2x2xf32> {
    return %b : tensor<2x2xf32>
  })");
  EXPECT_THAT(makersOf(program), ElementsAre("stablehlo.cholesky"));
  // Without the attribute it is the upper triangle.
  EXPECT_TRUE(program.outputs[0].upper);
}

TEST(ProgramOutputs, AClearedTriangleIsMasked) {
  const RecordedProgram program = programOf(R"(
  func.func public @main(%a: tensor<2x2xf32>, %m: tensor<2x2xi1>) -> tensor<2x2xf32> {
    %0 = stablehlo.cholesky %a, lower = false : tensor<2x2xf32>
    %z = stablehlo.constant dense<0.0> : tensor<2x2xf32>
    %1 = stablehlo.select %m, %0, %z : tensor<2x2xi1>, tensor<2x2xf32>
    return %1 : tensor<2x2xf32>
  })");
  EXPECT_THAT(makersOf(program), ElementsAre("stablehlo.cholesky"));
  EXPECT_TRUE(program.outputs[0].masked);
  EXPECT_TRUE(program.outputs[0].upper);
}

TEST(ProgramOutputs, TheKeysOfASortAreThoseThatItsOrderReads) {
  const RecordedProgram program = programOf(R"(
  func.func public @main(%a: tensor<3x4xi32>, %b: tensor<3x4xf32>)
      -> (tensor<3x4xi32>, tensor<3x4xf32>) {
    %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 1 : i64, is_stable = false}> ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare LT, %l, %r : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3x4xi32>, tensor<3x4xf32>) -> (tensor<3x4xi32>, tensor<3x4xf32>)
    return %0#0, %0#1 : tensor<3x4xi32>, tensor<3x4xf32>
  })");
  ASSERT_THAT(makersOf(program), ElementsAre("stablehlo.sort", "stablehlo.sort"));
  EXPECT_TRUE(program.outputs[0].sortKey);
  EXPECT_FALSE(program.outputs[1].sortKey);
  EXPECT_FALSE(program.outputs[0].stable);
  EXPECT_EQ(program.outputs[1].sortDimension, 1);
}

TEST(ProgramOutputs, TheSecondOperandOfASortMayBeItsKey) {
  const RecordedProgram program = programOf(R"(
  func.func public @main(%a: tensor<3xi32>, %b: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>) {
    %0:2 = "stablehlo.sort"(%a, %b) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>, %x: tensor<f32>, %y: tensor<f32>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<3xi32>, tensor<3xf32>
  })");
  ASSERT_EQ(program.outputs.size(), 2u);
  EXPECT_FALSE(program.outputs[0].sortKey);
  EXPECT_TRUE(program.outputs[1].sortKey);
}

TEST(ProgramOutputs, ATopKChoosesAlongItsDimension) {
  const RecordedProgram program = programOf(R"(
  func.func @order(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>)
      -> tensor<i1> {
    %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    return %0 : tensor<i1>
  }
  func.func public @main(%a: tensor<8x4xf32>, %i: tensor<8x4xi32>, %x: tensor<f32>,
                         %y: tensor<i32>) -> (tensor<2x4xf32>, tensor<2x4xi32>) {
    %0:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %x, %y) {called_computations = [@order],
      mhlo.backend_config = {aggregate_to_topk = true, reduction_dim = 0 : i64, top_k = 2 : i64}}
      : (tensor<8x4xf32>, tensor<8x4xi32>, tensor<f32>, tensor<i32>)
      -> (tensor<2x4xf32>, tensor<2x4xi32>)
    return %0#0, %0#1 : tensor<2x4xf32>, tensor<2x4xi32>
  })");
  ASSERT_THAT(makersOf(program), ElementsAre("ApproxTopK", "ApproxTopK"));
  EXPECT_TRUE(program.outputs[0].sortKey);
  EXPECT_FALSE(program.outputs[1].sortKey);
  EXPECT_TRUE(program.outputs[1].first);
  EXPECT_EQ(program.outputs[1].sortDimension, 0);
}

// A rounding matters where the program computes further with what it rounded.
TEST(ProgramOutputs, RoundingsThatArePassedOnAreFound) {
  constexpr char kThere[] = R"(
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xTYPE> {
    %0 = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xbf16>
    %1 = stablehlo.reshape %0 : (tensor<2xbf16>) -> tensor<2xbf16>
    REST
  })";
  const auto with = [&](std::string type, std::string rest) {
    std::string text = kThere;
    text.replace(text.find("TYPE"), 4, type);
    return programOf(text.replace(text.find("REST"), 4, rest)).roundsTo;
  };
  EXPECT_EQ(with("f32",
                 "%2 = stablehlo.convert %1 : (tensor<2xbf16>) -> tensor<2xf32>\n"
                 "return %2 : tensor<2xf32>"),
            ElementType::kBF16);
  EXPECT_EQ(with("bf16",
                 "%2 = stablehlo.add %1, %1 : tensor<2xbf16>\n"
                 "return %2 : tensor<2xbf16>"),
            ElementType::kBF16);
  EXPECT_EQ(with("bf16", "return %1 : tensor<2xbf16>"), std::nullopt);
  EXPECT_EQ(programOf(R"(
  func.func public @main(%a: tensor<2xbf16>) -> tensor<2xf32> {
    %0 = stablehlo.convert %a : (tensor<2xbf16>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  })")
                .roundsTo,
            std::nullopt);
}

}  // namespace
}  // namespace vintage::tests
