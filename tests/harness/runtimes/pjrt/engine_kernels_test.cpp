// vintage-pjrt-worker --ffi: a plugin that has no LAPACK calls the engine's kernels, and the
// outcome says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "golden/program/program.h"
#include "harness/runtimes/conversation.h"
#include "harness/runtimes/worker_pool.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> workerOf(std::vector<std::string> options) {
  const std::string programs = std::string(VINTAGE_BINARY) + "/bin/";
  std::vector<std::string> command{programs + "vintage-pjrt-worker", "--plugin",
                                   programs + "libvintage_stub_pjrt.so", "--build-date",
                                   "2026-06-23"};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

// The stub calls the target with the argument.
ExecuteRequest requestOf(const std::string& target, std::vector<float> matrix) {
  ProgramContext context;
  const std::string text = "module @call_" + target + R"( {
  func.func public @main(%a: tensor<3x3xf32>) -> tensor<3x3xf32> {
    return %a : tensor<3x3xf32>
  }
})";
  ExecuteRequest request;
  request.name = "test";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "cpu";
  request.platforms = {"cpu"};
  request.mode = "compiled";
  request.artifact = *context.parseText(text, "test")->writePortableArtifact({1, 0, 0});
  Tensor input(ElementType::kF32, {3, 3});
  std::ranges::copy(matrix, input.mutableValues<float>().begin());
  request.inputs = {input};
  return request;
}

// L L^T for L = [[2, 0, 0], [6, 1, 0], [-8, 5, 3]].
const std::vector<float> kMatrix{4, 12, -16, 12, 37, -43, -16, -43, 98};

// One worker for all requests, in their order.
std::vector<WorkerResult> runInOneWorker(std::vector<ExecuteRequest> requests,
                                         std::vector<std::string> options = {"--ffi"}) {
  auto host = makePosixProcessHost();
  WorkerPoolOptions pool;
  pool.command = workerOf(std::move(options));
  pool.timeout = std::chrono::seconds(20);
  WorkerPool workers(pool, *host);
  std::vector<WorkerResult> results(requests.size());
  size_t next = 0;
  const Status status = workers.run(
      [&]() -> Result<std::optional<ExecuteRequest>> {
        if (next == requests.size()) return std::nullopt;
        requests[next].id = next;
        return requests[next++];
      },
      [&](WorkerResult result) -> Status {
        results[result.id] = std::move(result);
        return {};
      });
  EXPECT_TRUE(status) << status.error().message;
  return results;
}

// In column-major order; LAPACK leaves what is above the diagonal.
const auto kFactor = ElementsAre(2, 6, -8, 12, 1, 5, -16, -43, 3);

TEST(EngineKernels, APluginFactorsWithThem) {
  const auto results = runInOneWorker({requestOf("lapack_spotrf_ffi", kMatrix)});
  ASSERT_EQ(results[0].outcome, OutcomeKind::kPass) << results[0].detail;
  EXPECT_THAT(results[0].outputs.at(0).values<float>(), kFactor);
}

TEST(EngineKernels, TheOutcomeNamesThoseThatWereCalledAndNoOthers) {
  const auto results =
      runInOneWorker({requestOf("lapack_spotrf_ffi", kMatrix), requestOf("nothing", kMatrix)});
  EXPECT_EQ(results[0].detail, "with the engine's LAPACK kernels: lapack_spotrf_ffi");
  EXPECT_EQ(results[1].outcome, OutcomeKind::kPass) << results[1].detail;
  EXPECT_THAT(results[1].detail, IsEmpty());
}

TEST(EngineKernels, WithoutThemTheTargetIsMissing) {
  const auto results = runInOneWorker({requestOf("lapack_spotrf_ffi", kMatrix)}, {});
  EXPECT_EQ(results[0].outcome, OutcomeKind::kError);
  EXPECT_EQ(results[0].detail, "NOT_FOUND: No FFI handler registered for lapack_spotrf_ffi");
}

// The stub calls every target as a Cholesky factorization: i32[] is no result of geqrf, and
// syevd has an attribute more.
TEST(EngineKernels, ACallOfAnotherFormIsAnErrorOfTheRun) {
  const auto results = runInOneWorker(
      {requestOf("lapack_sgeqrf_ffi", kMatrix), requestOf("lapack_ssyevd_ffi", kMatrix),
       requestOf("lapack_dpotrf_ffi", kMatrix), requestOf("lapack_sorgqr_ffi", kMatrix)});
  const char* messages[] = {"result 1 is declared as i32[]; it is f32[3]",
                            "attribute mode is missing", "f64 is needed", "has 1 operands"};
  for (size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].outcome, OutcomeKind::kError);
    EXPECT_EQ(results[i].stage, Stage::kRun);
    EXPECT_THAT(results[i].detail,
                AllOf(HasSubstr("INVALID_ARGUMENT: Vintage's kernel of lapack_"),
                      HasSubstr(messages[i]), HasSubstr("with the engine's LAPACK kernels")));
  }
}

// Older plugins take a structure with one field more, and refuse a shorter one.
TEST(EngineKernels, AnOlderPluginTakesThemToo) {
  const auto results = runInOneWorker({requestOf("lapack_spotrf_ffi", kMatrix)},
                                      {"--ffi", "--environment", "STUB_FFI=older"});
  ASSERT_EQ(results[0].outcome, OutcomeKind::kPass) << results[0].detail;
  EXPECT_THAT(results[0].outputs.at(0).values<float>(), kFactor);
}

std::string refusalOf(std::vector<std::string> options) {
  auto host = makePosixProcessHost();
  auto introduction = introduce(workerOf(std::move(options)), *host);
  return introduction ? "it started" : introduction.error().message;
}

TEST(EngineKernels, APluginThatCannotTakeThemSaysWhy) {
  EXPECT_THAT(refusalOf({"--ffi", "--environment", "STUB_FFI=none"}),
              AllOf(HasSubstr("--ffi"), HasSubstr("has no FFI extension")));
  EXPECT_THAT(refusalOf({"--ffi", "--environment", "STUB_FFI=taken"}),
              AllOf(HasSubstr("--ffi"), HasSubstr("ALREADY_EXISTS: Duplicate FFI handler")));
  EXPECT_THAT(refusalOf({"--ffi", "--topology", "grid:2x2"}),
              AllOf(HasSubstr("run on the CPU"), HasSubstr("'tpu'")));
}

}  // namespace
}  // namespace vintage::tests
