// The embedded engine's worker program, killed, starved and corrupted in the
// middle of a run.

#include <csignal>
#include <filesystem>
#include <limits>
#include <map>

#include <gmock/gmock.h>
#include <unistd.h>

#include "golden/program/program.h"
#include "harness/runtimes/embedded/executor.h"
#include "harness/runtimes/worker_pool.h"
#include "tests/golden/base/texts.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;

const std::string kWorker = std::string(VINTAGE_BINARY) + "/bin/vintage-worker";

std::vector<std::byte> portable(const char* text) {
  ProgramContext context;
  return *context.parseText(text, "test")->writePortableArtifact({1, 0, 0});
}

// Doubles its input as often as the loop says.
const char* const kLoop = R"(module {
  func.func public @main(%arg0: tensor<f32>, %arg1: tensor<i32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<f32>
     cond {
      %c = stablehlo.compare LT, %i, %arg1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %n = stablehlo.add %i, %one : tensor<i32>
      %y = stablehlo.add %x, %x : tensor<f32>
      stablehlo.return %n, %y : tensor<i32>, tensor<f32>
    }
    return %0#1 : tensor<f32>
  }
})";

Tensor scalar(float value) {
  Tensor tensor(ElementType::kF32, {});
  tensor.mutableValues<float>()[0] = value;
  return tensor;
}
Tensor scalar(int32_t value) {
  Tensor tensor(ElementType::kI32, {});
  tensor.mutableValues<int32_t>()[0] = value;
  return tensor;
}

struct PoolRun {
  Status status;
  std::map<uint64_t, WorkerResult> results;
};

// `rounds` of the loop for each job; `onResult` sees every result as it comes.
PoolRun runLoops(const std::vector<int32_t>& rounds, WorkerPoolOptions options,
                 const std::function<void(size_t)>& onResult = {}) {
  const auto artifact = portable(kLoop);
  auto host = makePosixProcessHost();
  options.command = {kWorker};
  WorkerPool pool(options, *host);
  PoolRun run;
  size_t next = 0;
  run.status = pool.run(
      [&]() -> Result<std::optional<ExecuteRequest>> {
        if (next == rounds.size()) return std::nullopt;
        ExecuteRequest request;
        request.id = next;
        request.name = "loop";
        request.format = ArtifactRecord::Format::kPortableArtifact;
        request.platform = "cpu";
        request.platforms = {"cpu"};
        request.artifact = artifact;
        request.inputs = {scalar(1.0f), scalar(rounds[next++])};
        return request;
      },
      [&](WorkerResult result) -> Status {
        run.results[result.id] = std::move(result);
        if (onResult) onResult(run.results.size());
        return {};
      });
  return run;
}

// Children of this process that run the worker program.
std::vector<pid_t> workerProcesses() {
  std::vector<pid_t> found;
  const std::string self = std::to_string(::getpid());
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string pid = entry.path().filename();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string stat = fileText(entry.path() / "stat");
    // "pid (name) state parent …"; the kernel cuts the name at 15 letters.
    if (stat.find("(vintage-worker)") == std::string::npos) continue;
    const size_t after = stat.rfind(')') + 4;
    if (stat.substr(after, stat.find(' ', after) - after) == self) found.push_back(std::stoi(pid));
  }
  return found;
}

// Once: what was killed is tried again alone, and a second kill could meet that same try, which
// then counts as a crash of the artifact.
TEST(RealWorker, KilledInMidRunNothingIsLost) {
  WorkerPoolOptions options;
  options.workers = 2;
  int killed = 0;
  const PoolRun run = runLoops(std::vector<int32_t>(300, 5), options, [&](size_t results) {
    if (results != 60) return;
    for (pid_t pid : workerProcesses()) killed += ::kill(pid, SIGKILL) == 0;
  });
  ASSERT_TRUE(run.status) << run.status.error().message;
  EXPECT_GE(killed, 2);
  ASSERT_EQ(run.results.size(), 300u);
  for (const auto& [id, result] : run.results) {
    ASSERT_EQ(result.outcome, OutcomeKind::kPass) << result.detail;
    ASSERT_EQ(result.outputs.size(), 1u);
    EXPECT_EQ(result.outputs[0].values<float>()[0], 32.0f);
  }
}

TEST(RealWorker, AProgramThatDoesNotEndCostsOneOutcome) {
  WorkerPoolOptions options;
  options.workers = 2;
  options.timeout = std::chrono::seconds(3);
  std::vector<int32_t> rounds(40, 3);
  rounds[17] = std::numeric_limits<int32_t>::max();
  const PoolRun run = runLoops(rounds, options);
  ASSERT_TRUE(run.status) << run.status.error().message;
  ASSERT_EQ(run.results.size(), 40u);
  for (const auto& [id, result] : run.results)
    EXPECT_EQ(result.outcome, id == 17 ? OutcomeKind::kTimeout : OutcomeKind::kPass)
        << result.detail;
}

TEST(Executor, WhatGoesWrongHasItsStage) {
  Executor executor(size_t{1} << 30);
  ExecuteRequest request;
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "cpu";
  request.platforms = {"cpu"};
  request.artifact = portable(kLoop);
  request.inputs = {scalar(1.5f), scalar(int32_t{2})};
  ExecuteReply reply = executor.execute(request);
  ASSERT_EQ(reply.outcome, OutcomeKind::kPass) << reply.detail;
  EXPECT_EQ(reply.outputs[0].values<float>()[0], 6.0f);

  ExecuteRequest wrong = request;
  wrong.inputs.pop_back();
  EXPECT_EQ(executor.execute(wrong).outcome, OutcomeKind::kError);
  EXPECT_EQ(executor.execute(wrong).stage, Stage::kRun);
  wrong = request;
  std::swap(wrong.inputs[0], wrong.inputs[1]);
  EXPECT_EQ(executor.execute(wrong).stage, Stage::kRun);
  wrong = request;
  wrong.platform = "tpu";
  reply = executor.execute(wrong);
  EXPECT_EQ(reply.outcome, OutcomeKind::kUnsupported);
  EXPECT_EQ(reply.stage, Stage::kLoad);
  EXPECT_THAT(reply.detail, HasSubstr("lowered for cpu, not for tpu"));
  wrong = request;
  wrong.mode = "compiled";
  EXPECT_EQ(executor.execute(wrong).outcome, OutcomeKind::kUnsupported);
  wrong = request;
  wrong.artifact.resize(wrong.artifact.size() / 2);
  EXPECT_EQ(executor.execute(wrong).stage, Stage::kUpgrade);
  wrong = request;
  wrong.format = ArtifactRecord::Format::kExported;
  EXPECT_EQ(executor.execute(wrong).stage, Stage::kLoad);
}

TEST(Executor, AContextIsRenewedWithoutANotice) {
  Executor executor(size_t{1} << 30);
  ExecuteRequest request;
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "cpu";
  request.platforms = {"cpu"};
  request.artifact = portable(kLoop);
  request.inputs = {scalar(1.0f), scalar(int32_t{1})};
  for (int i = 0; i < 1100; ++i)
    ASSERT_EQ(executor.execute(request).outcome, OutcomeKind::kPass) << i;
}

}  // namespace
}  // namespace vintage::tests
