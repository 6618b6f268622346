// The worker called an Exported's main by guessing from the number of its
// arguments, beside the calling convention that golden/exported knows: what its
// metadata contradicted was noticed by chance or not at all.
#include "harness/consumers/embedded/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/exported/exported.h"
#include "tests/rooms.h"

namespace vintage::tests {
namespace {

constexpr size_t kMemory = size_t{1} << 30;

ExecuteRequest requestFor(const std::string& main, std::vector<std::string> platforms,
                          const std::string& platform) {
  ProgramContext context;
  auto program = context.parseText(main, "test.mlir");
  EXPECT_TRUE(program) << program.error().message;
  Exported exported;
  exported.functionName = "f";
  exported.platforms = std::move(platforms);
  exported.inputTree.kind = exported.outputTree.kind = PyTree::Kind::kTuple;
  exported.inputTree.children.resize(2);
  exported.outputTree.children.resize(1);
  exported.inputs.resize(2);
  for (AbstractValue& input : exported.inputs) input.dtype = "i32";
  exported.outputs = {exported.inputs[0]};
  exported.inputShardings.resize(2);
  exported.outputShardings.resize(1);
  exported.keptInputs = {1};
  exported.module = *program->writePortableArtifact(kCurrentStablehloVersion);
  ExecuteRequest request;
  request.name = "test";
  request.platform = platform;
  auto bytes = writeExported(exported);
  EXPECT_TRUE(bytes) << bytes.error().message;
  if (bytes) request.artifact = std::move(*bytes);
  for (int32_t value : {10, 20}) {
    Tensor input(ElementType::kI32, {});
    input.mutableValues<int32_t>()[0] = value;
    request.inputs.push_back(input);
  }
  return request;
}

constexpr char kIndexAndInput[] = R"(
  func.func public @main(%index: tensor<i32> {jax.global_constant = "_platform_index"},
                         %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.add %index, %b : tensor<i32>
    return %0 : tensor<i32>
  })";

TEST(Executor, PassesThePlatformIndexAndTheKeptInputs) {
  Executor executor(kMemory);
  const ExecuteReply reply =
      executor.execute(requestFor(kIndexAndInput, {"tpu", "cuda", "cpu"}, "cpu"));
  ASSERT_EQ(reply.outcome, OutcomeKind::kPass) << reply.detail;
  EXPECT_EQ(reply.outputs.at(0).values<int32_t>()[0], 22);
}

TEST(Executor, RefusesAPlatformThatIsNotServed) {
  Executor executor(kMemory);
  const ExecuteReply reply = executor.execute(requestFor(kIndexAndInput, {"tpu", "cuda"}, "cpu"));
  EXPECT_EQ(reply.outcome, OutcomeKind::kUnsupported);
  EXPECT_THAT(reply.detail, testing::HasSubstr("it was lowered for tpu, cuda, not for cpu"));
}

TEST(Executor, RefusesAMainThatItsMetadataContradict) {
  Executor executor(kMemory);
  const ExecuteReply reply = executor.execute(requestFor(
      "func.func public @main(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}",
      {"cpu"}, "cpu"));
  EXPECT_EQ(reply.outcome, OutcomeKind::kError);
  EXPECT_THAT(reply.detail, testing::HasSubstr("argument 0 of main (input 1)"));
}

}  // namespace
}  // namespace vintage::tests
