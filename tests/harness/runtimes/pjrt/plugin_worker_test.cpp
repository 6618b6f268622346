// vintage-pjrt-worker with a plugin of ours: what a plugin does wrong costs one artifact,
// and each failure says what it is.
#include <filesystem>
#include <fstream>
#include <map>

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
using testing::Not;

const std::string kPrograms = std::string(VINTAGE_BINARY) + "/bin/";
const std::string kStub = kPrograms + "libvintage_stub_pjrt.so";

std::vector<std::string> workerOf(const std::string& plugin,
                                  std::vector<std::string> options = {}) {
  std::vector<std::string> command{kPrograms + "vintage-pjrt-worker", "--plugin", plugin,
                                   "--build-date", "2026-06-23"};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

std::vector<std::byte> artifactOf(const std::string& module, StablehloVersion version = {1, 0, 0}) {
  ProgramContext context;
  const std::string text = "module @" + module + R"( {
  func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    return %a : tensor<2xf32>
  }
})";
  return *context.parseText(text, "test")->writePortableArtifact(version);
}

ExecuteRequest requestOf(uint64_t id, std::vector<std::byte> artifact) {
  ExecuteRequest request;
  request.id = id;
  request.name = "test";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "cpu";
  request.platforms = {"cpu"};
  request.mode = "compiled";
  request.artifact = std::move(artifact);
  Tensor input(ElementType::kF32, {2});
  input.mutableValues<float>()[0] = 1.5f;
  input.mutableValues<float>()[1] = -2.0f;
  request.inputs = {input};
  return request;
}

std::map<uint64_t, WorkerResult> runAll(const std::vector<ExecuteRequest>& requests,
                                        std::vector<std::string> command = workerOf(kStub)) {
  auto host = makePosixProcessHost();
  WorkerPoolOptions options;
  options.command = std::move(command);
  options.timeout = std::chrono::seconds(5);
  WorkerPool pool(options, *host);
  std::map<uint64_t, WorkerResult> results;
  size_t next = 0;
  const Status status = pool.run(
      [&]() -> Result<std::optional<ExecuteRequest>> {
        if (next == requests.size()) return std::nullopt;
        return requests[next++];
      },
      [&](WorkerResult result) -> Status {
        results[result.id] = std::move(result);
        return {};
      });
  EXPECT_TRUE(status) << status.error().message;
  return results;
}

WorkerResult runOne(const std::string& module) {
  return runAll({requestOf(0, artifactOf(module))})[0];
}

TEST(PluginWorker, SaysWhatThePluginIs) {
  auto host = makePosixProcessHost();
  auto introduction = introduce(workerOf(kStub, {"--name", "stub-1", "--release", "1"}), *host);
  ASSERT_TRUE(introduction) << introduction.error().message;
  const BuildRecord& build = *introduction;
  EXPECT_EQ(build.name, "stub-1");
  EXPECT_EQ(build.version, "1");
  EXPECT_EQ(build.stablehloVersion, "1.9.0");
  EXPECT_THAT(build.platforms, ElementsAre("cpu"));
  EXPECT_THAT(build.modes, ElementsAre("compiled"));
}

TEST(PluginWorker, GivesBackWhatThePluginGives) {
  const WorkerResult result = runOne("echo");
  ASSERT_EQ(result.outcome, OutcomeKind::kPass) << result.detail;
  ASSERT_EQ(result.outputs.size(), 1u);
  EXPECT_THAT(result.outputs[0].values<float>(), ElementsAre(1.5f, -2.0f));
}

struct Refusal {
  const char* module;
  OutcomeKind outcome;
  Stage stage;
  const char* message;
};

class RefusedByAPlugin : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedByAPlugin, SaysWhyAndAtWhichStage) {
  const Refusal& refusal = GetParam();
  const WorkerResult result = runOne(refusal.module);
  EXPECT_EQ(result.outcome, refusal.outcome);
  EXPECT_EQ(result.stage, refusal.stage);
  EXPECT_THAT(result.detail, HasSubstr(refusal.message));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedByAPlugin,
    testing::Values(Refusal{"refuse_NOT_FOUND", OutcomeKind::kError, Stage::kCompile,
                            "NOT_FOUND: No registered implementation for custom call to foo"},
                    Refusal{"refuse_UNIMPLEMENTED", OutcomeKind::kUnsupported, Stage::kCompile,
                            "UNIMPLEMENTED: no such sort"},
                    Refusal{"refuse_unregistered", OutcomeKind::kError, Stage::kUpgrade,
                            "UNKNOWN: unregistered operation 'vhlo.new_v9'"},
                    Refusal{"fail_running", OutcomeKind::kError, Stage::kRun,
                            "RESOURCE_EXHAUSTED: out of device memory"}),
    [](const auto& info) { return std::string(info.param.module); });

// A plugin may end the process by an assertion of its own: libtpu does.
TEST(PluginWorker, AnAbortCostsOneArtifact) {
  std::vector<ExecuteRequest> requests;
  for (uint64_t id = 0; id < 12; ++id)
    requests.push_back(requestOf(id, artifactOf(id == 4   ? "abort_compiling"
                                                : id == 7 ? "abort_running"
                                                : id == 9 ? "hang"
                                                          : "echo")));
  const auto results = runAll(requests);
  ASSERT_EQ(results.size(), 12u);
  for (const auto& [id, result] : results)
    EXPECT_EQ(result.outcome, id == 4 || id == 7 ? OutcomeKind::kCrash
                              : id == 9          ? OutcomeKind::kTimeout
                                                 : OutcomeKind::kPass)
        << id << result.detail;
}

TEST(PluginWorker, TruncatedAndHostileArtifactsAreErrors) {
  std::vector<ExecuteRequest> requests;
  const std::vector<std::byte> whole = artifactOf("echo");
  for (size_t kept : {size_t{0}, size_t{3}, size_t{20}, whole.size() / 2, whole.size() - 1})
    requests.push_back(requestOf(requests.size(), {whole.begin(), whole.begin() + kept}));
  std::vector<std::byte> flipped = whole;
  for (size_t i = 30; i < flipped.size(); i += 7) flipped[i] ^= std::byte{0x5a};
  requests.push_back(requestOf(requests.size(), flipped));
  ExecuteRequest exported = requestOf(requests.size(), whole);
  exported.format = ArtifactRecord::Format::kExported;
  requests.push_back(exported);
  requests.push_back(requestOf(requests.size(), whole));
  const auto results = runAll(requests);
  for (const auto& [id, result] : results) {
    if (id + 1 == requests.size()) {
      EXPECT_EQ(result.outcome, OutcomeKind::kPass) << result.detail;
      continue;
    }
    EXPECT_EQ(result.outcome, OutcomeKind::kError) << id;
    EXPECT_THAT(result.detail, Not(HasSubstr("ended"))) << id;
  }
}

TEST(PluginWorker, OtherModesAreUnsupported) {
  ExecuteRequest request = requestOf(0, artifactOf("echo"));
  request.mode = "eager";
  const WorkerResult result = runAll({request})[0];
  EXPECT_EQ(result.outcome, OutcomeKind::kUnsupported);
  EXPECT_THAT(result.detail, HasSubstr("compiled"));
}

// The plugin reads 1.9; the stub's answer shows no difference, the preparation's tests do.
TEST(PluginWorker, ReserializesWhereItIsAskedTo) {
  const auto results =
      runAll({requestOf(0, artifactOf("echo", {1, 15, 0}))}, workerOf(kStub, {"--reserialize"}));
  EXPECT_EQ(results.at(0).outcome, OutcomeKind::kPass) << results.at(0).detail;
}

std::string startError(const std::string& plugin, std::vector<std::string> options = {}) {
  auto host = makePosixProcessHost();
  auto introduction = introduce(workerOf(plugin, std::move(options)), *host);
  return introduction ? "it started" : introduction.error().message;
}

TEST(PluginWorker, ALibraryThatIsNoPluginIsNamed) {
  EXPECT_THAT(startError("/nowhere/plugin.so"), HasSubstr("/nowhere/plugin.so"));
  EXPECT_THAT(startError("libm.so.6"), HasSubstr("no function GetPjrtApi"));
  EXPECT_THAT(startError(kPrograms + "libvintage_stub_pjrt_old.so"),
              AllOf(HasSubstr("PJRT API 0.40"), HasSubstr("0.54")));
}

TEST(PluginWorker, OptionsReachTheClient) {
  EXPECT_EQ(startError(kStub, {"--option", "level=3"}), "it started");
  EXPECT_THAT(startError(kStub, {"--option", "level=high"}), HasSubstr("unknown option level"));
  EXPECT_THAT(startError(kStub, {"--option", "no_device=1"}), HasSubstr("no accelerator found"));
  EXPECT_THAT(startError(kStub, {"--option", "level"}), HasSubstr("NAME=VALUE"));
}

}  // namespace
}  // namespace vintage::tests
