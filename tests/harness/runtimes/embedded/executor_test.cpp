// The worker called an Exported's main by guessing from the number of its
// arguments, beside the calling convention that golden/exported knows: what its
// metadata contradicted was noticed by chance or not at all.
#include "harness/runtimes/embedded/executor.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/exported/exported.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

constexpr size_t kMemory = size_t{1} << 30;

size_t residentBytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stoull(line.substr(6)) << 10;
  return 0;
}

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

// The executor renewed what it reads programs with after so many programs, however large they
// were: five hundred artifacts with constants of some megabytes each stayed in its memory.
TEST(Executor, LetsGoOfConstantsThatItRead) {
  constexpr size_t kElements = size_t{1} << 20, kArtifacts = 48, kBytes = kElements * 4;
  std::string digits;
  for (size_t i = 0; i < kElements; ++i) digits += i % 2 == 0 ? "01020304" : "05060708";
  ProgramContext context;
  auto program = context.parseText(
      "func.func public @main() -> tensor<1048576xi32> {\n  %0 = stablehlo.constant dense<\"0x" +
          digits + "\"> : tensor<1048576xi32>\n  return %0 : tensor<1048576xi32>\n}",
      "test.mlir");
  ASSERT_TRUE(program) << program.error().message;
  ExecuteRequest request;
  request.name = "test";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "cpu";
  request.platforms = {"cpu"};
  request.artifact = *program->writePortableArtifact(kCurrentStablehloVersion);
  const auto values = std::ranges::search(
      request.artifact,
      std::vector<std::byte>{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5},
                             std::byte{6}, std::byte{7}, std::byte{8}});
  ASSERT_FALSE(values.empty());

  Executor executor(kMemory);
  const size_t before = residentBytes();
  for (int32_t artifact = 0; artifact < static_cast<int32_t>(kArtifacts); ++artifact) {
    std::memcpy(values.data(), &artifact, sizeof artifact);
    const ExecuteReply reply = executor.execute(request);
    ASSERT_EQ(reply.outcome, OutcomeKind::kPass) << reply.detail;
    ASSERT_EQ(reply.outputs.at(0).values<int32_t>()[0], artifact);
  }
  // As they are stored and as the program has them, they would be twice as much.
  EXPECT_LT(residentBytes() - std::min(before, residentBytes()), kArtifacts * kBytes);
}

TEST(EngineDescription, NamesTheTargetsThatJaxGuarantees) {
  const auto targets = describeEngine(embeddedEngineBuild(compiledOn())).stableTargets;
  const auto sinceOf = [&](std::string_view name) {
    const auto found = std::ranges::find(targets, name, &StableTarget::name);
    return found == targets.end() || !found->since ? "" : formatDate(*found->since);
  };
  EXPECT_EQ(sinceOf("Sharding"), "2023-03-23");
  EXPECT_EQ(sinceOf("lapack_spotrf_ffi"), "2024-07-25");
  EXPECT_EQ(sinceOf("ducc_fft"), "") << "no longer";
  EXPECT_EQ(sinceOf("tpu_custom_call"), "2023-06-30");
  EXPECT_EQ(sinceOf("mosaic_gpu_v2"), "") << "not registered";
}

}  // namespace
}  // namespace vintage::tests
