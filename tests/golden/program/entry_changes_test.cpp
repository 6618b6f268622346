// Programs whose entry is changed for a consumer that takes buffers: tokens inside, results
// whole on each device, no layouts, and the branch of one platform.
#include "golden/program/entry_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden/program/static_text.h"

namespace vintage::tests {
using namespace golden;

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string changed(const std::string& text,
                    const std::function<Result<Program>(const Program&)>& change) {
  ProgramContext context;
  auto program = context.parseText(text, "test.mlir");
  if (!program) return program.error().message;
  auto result = change(*program);
  return result ? result->print() : result.error().message;
}

TEST(EntryTokens, AreMadeAndKeptInside) {
  const std::string text =
      changed(R"(
func.func public @main(%t: !stablehlo.token, %a: tensor<2xf32> {tf.aliasing_output = 1 : i32})
    -> (!stablehlo.token, tensor<2xf32> {jax.result_info = "r"}) {
  %0 = stablehlo.custom_call @effect(%t) {has_side_effect = true} : (!stablehlo.token) -> !stablehlo.token
  %1 = stablehlo.negate %a : tensor<2xf32>
  return %0, %1 : !stablehlo.token, tensor<2xf32>
})",
              [](const Program& program) { return withTokensInside(program); });
  EXPECT_THAT(text, AllOf(HasSubstr("stablehlo.after_all"), HasSubstr("custom_call @effect"),
                          HasSubstr("tf.aliasing_output = 0"),
                          HasSubstr("-> (tensor<2xf32> {jax.result_info = \"r\"})"),
                          HasSubstr("@main(%arg0: tensor<2xf32>")));
}

TEST(EntryTokens, AProgramWithoutThemStaysAsItIs) {
  const std::string text =
      "module {\n  func.func public @main(%arg0: tensor<2xf32>) -> "
      "tensor<2xf32> {\n    return %arg0 : tensor<2xf32>\n  }\n}\n";
  EXPECT_EQ(changed(text, [](const Program& program) { return withTokensInside(program); }), text);
}

TEST(EntryLayouts, AreLeftOut) {
  const std::string text = changed(
      R"(
func.func public @main(%a: tensor<2xf32> {jax.buffer_donor = true, mhlo.layout_mode = "{0}"})
    -> (tensor<2xf32> {jax.result_info = "r", mhlo.layout_mode = "auto"}) {
  return %a : tensor<2xf32>
})",
      [](const Program& program) { return withoutLayouts(program); });
  EXPECT_THAT(text, HasSubstr("@main(%arg0: tensor<2xf32> {jax.buffer_donor = true}) -> "
                              "(tensor<2xf32> {jax.result_info = \"r\"})"));
}

TEST(EntryAttributes, AreAddedToTheModule) {
  const auto with = [](const std::string& value) {
    return changed("module @f { func.func @main() { return } }", [&](const Program& program) {
      const std::pair<std::string, std::string> attributes[] = {{"mhlo.layouts", value}};
      return withAttributes(program, attributes);
    });
  };
  EXPECT_THAT(
      with("[dense<[1, 0]> : tensor<2xindex>, []]"),
      HasSubstr("module @f attributes {mhlo.layouts = [dense<[1, 0]> : tensor<2xindex>, []]}"));
  EXPECT_THAT(with("dense<[1"), HasSubstr("no attribute for mhlo.layouts"));
}

constexpr const char* kTwoDevices = R"(
module attributes {mhlo.num_partitions = 2 : i32} {
  MESH
  func.func public @main(%a: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
    return %a, %a : tensor<4x2xf32>, tensor<4x2xf32>
  }
})";

std::string wholeSecond(const std::string& mesh) {
  std::string text = kTwoDevices;
  text.replace(text.find("MESH"), 4, mesh);
  return changed(text, [](const Program& program) {
    const size_t second = 1;
    return withWholeResults(program, {&second, 1});
  });
}

TEST(WholeResults, AreSaidAsXlaDoesWithoutAMesh) {
  EXPECT_THAT(
      wholeSecond(""),
      HasSubstr("-> (tensor<4x2xf32>, tensor<4x2xf32> {mhlo.sharding = \"{replicated}\"})"));
}

TEST(WholeResults, AreSaidByShardyWithOne) {
  EXPECT_THAT(wholeSecond("sdy.mesh @m = <[\"x\"=2]>"),
              HasSubstr("-> (tensor<4x2xf32>, tensor<4x2xf32> {sdy.sharding = "
                        "#sdy.sharding<@m, [{}, {}]>})"));
}

// JAX writes an artifact for several platforms with a `case` on the platform's index. The branches
// of the other platforms call targets that this platform lacks, so no compiler accepts them.
constexpr const char* kPlatforms = R"(
func.func public @main(%i: tensor<i32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @inner(%i, %a) : (tensor<i32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @inner(%i: tensor<i32>, %a: tensor<2xf32>) -> tensor<2xf32> {
  %c = stablehlo.constant dense<0> : tensor<i32>
  %p = stablehlo.compare EQ, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.custom_call @of_the_cpu(%a) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    %1 = stablehlo.custom_call @of_the_tpu(%a) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
})";

std::string onPlatform(int64_t index) {
  return static_shapes::staticText(kPlatforms,
                                   {{{}, std::vector<int64_t>{index}}, {{2}, std::nullopt}});
}

TEST(PlatformIndex, ChoosesTheBranchThatIsTaken) {
  EXPECT_THAT(onPlatform(0), AllOf(HasSubstr("@of_the_cpu"), Not(HasSubstr("@of_the_tpu")),
                                   Not(HasSubstr("stablehlo.case"))));
  EXPECT_THAT(onPlatform(1), AllOf(HasSubstr("@of_the_tpu"), Not(HasSubstr("@of_the_cpu"))));
}

// By the specification of `case`: an index out of range takes the last branch.
TEST(PlatformIndex, OutOfRangeTakesTheLastBranch) {
  EXPECT_THAT(onPlatform(-1), HasSubstr("@of_the_tpu"));
  EXPECT_THAT(onPlatform(7), HasSubstr("@of_the_tpu"));
}

}  // namespace
}  // namespace vintage::tests
