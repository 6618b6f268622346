// vintage-pjrt-worker as a compiler for devices that are not there: what it takes is
// compiled, which is not a pass, and needs no inputs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/runtimes/conversation.h"
#include "harness/runtimes/pjrt/topology.h"
#include "harness/runtimes/worker_pool.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFolder = std::string(VINTAGE_BINARY) + "/bin/";

std::vector<std::string> compiler(std::vector<std::string> options) {
  std::vector<std::string> command{kFolder + "vintage-pjrt-worker", "--plugin",
                                   kFolder + "libvintage_stub_pjrt.so", "--build-date",
                                   "2026-06-23"};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

ExecuteRequest requestWithoutInputs(const std::string& module, const std::string& type) {
  ProgramContext context;
  const std::string text = "module @" + module + " {\n  func.func public @main(%a: " + type +
                           ") -> " + type + " {\n    return %a : " + type + "\n  }\n}";
  ExecuteRequest request;
  request.name = "test";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "tpu";
  request.platforms = {"tpu"};
  request.mode = kCompileOnly;
  request.artifact = *context.parseText(text, "test")->writePortableArtifact({1, 0, 0});
  return request;
}

WorkerResult runOn(const std::vector<std::string>& command, const ExecuteRequest& request) {
  auto host = makePosixProcessHost();
  WorkerPoolOptions options;
  options.command = command;
  WorkerPool pool(options, *host);
  auto result = pool.execute(request);
  EXPECT_TRUE(result) << result.error().message;
  return result ? std::move(*result) : WorkerResult{};
}

WorkerResult compileStatic(const std::string& module, const std::string& mode) {
  ExecuteRequest request = requestWithoutInputs(module, "tensor<2xf32>");
  request.mode = mode;
  return runOn(compiler({"--topology", "grid:2x2"}), request);
}

TEST(CompileOnly, SaysWhatItCompilesFor) {
  auto host = makePosixProcessHost();
  auto introduction = introduce(compiler({"--topology", "grid:2x2"}), *host);
  ASSERT_TRUE(introduction) << introduction.error().message;
  EXPECT_THAT(introduction->platforms, ElementsAre("tpu"));
  EXPECT_THAT(introduction->modes, ElementsAre(kCompileOnly));
}

TEST(CompileOnly, WithoutInputsAStaticProgramIsCompiledAndMeasured) {
  const WorkerResult result = compileStatic("echo", std::string(kCompileOnly));
  EXPECT_EQ(result.outcome, OutcomeKind::kCompiled) << result.detail;
  EXPECT_EQ(result.stage, Stage::kCompile);
  EXPECT_TRUE(result.outputs.empty());
  EXPECT_THAT(result.detail,
              AllOf(HasSubstr("100 bytes of code"), HasSubstr("8 bytes of temporaries")));
}

TEST(CompileOnly, RunsNothing) {
  const WorkerResult result = compileStatic("abort_running", std::string(kCompileOnly));
  EXPECT_EQ(result.outcome, OutcomeKind::kCompiled) << result.detail;
  EXPECT_EQ(compileStatic("echo", "compiled").outcome, OutcomeKind::kUnsupported);
}

TEST(CompileOnly, RefusalsAndAbortsAreThoseOfACompiler) {
  const WorkerResult refused = compileStatic("refuse_unregistered", std::string(kCompileOnly));
  EXPECT_EQ(refused.outcome, OutcomeKind::kError);
  EXPECT_EQ(refused.stage, Stage::kUpgrade);
  EXPECT_EQ(compileStatic("abort_compiling", std::string(kCompileOnly)).outcome,
            OutcomeKind::kCrash);
}

TEST(CompileOnly, WithoutInputsASymbolicDimensionHasNoSize) {
  const WorkerResult result =
      runOn(compiler({"--topology", "grid:2x2"}), requestWithoutInputs("echo", "tensor<?xf32>"));
  EXPECT_EQ(result.outcome, OutcomeKind::kUnsupported);
  EXPECT_THAT(result.detail, HasSubstr("kept without inputs"));
}

TEST(CompileOnly, ATopologyThatThePluginLacksIsNamed) {
  auto host = makePosixProcessHost();
  const auto introduction = introduce(compiler({"--topology", "ring:7"}), *host);
  ASSERT_FALSE(introduction);
  EXPECT_THAT(introduction.error().message, HasSubstr("'ring:7'"));
}

TEST(CompileOnly, AGpuIsDescribedByItsNameOrAFile) {
  auto host = makePosixProcessHost();
  EXPECT_TRUE(introduce(compiler({"--target-config", "h100"}), *host));
  const auto unknown = introduce(compiler({"--target-config", "h9000"}), *host);
  ASSERT_FALSE(unknown);
  EXPECT_THAT(unknown.error().message, AllOf(HasSubstr("h9000"), HasSubstr("a100, h100")));
}

TEST(Deviceless, AMachineIsNamedByItsChipsOrCores) {
  EXPECT_EQ(acceleratorType("v5e:2x2"), "v5litepod-4");
  EXPECT_EQ(acceleratorType("v4:2x2x2"), "v4-16");
  for (const char* text : {"", "v5e", "v5e:", "v5e:2x", "v5e:x2", "v5e:0x2", "h100:2x2",
                           "v5e:65536x65536x65536", "v5e:2y2", "v5e:-2x2"})
    EXPECT_EQ(acceleratorType(text), std::nullopt) << text;
}

}  // namespace
}  // namespace vintage::tests
