// The pool with real processes that crash, hang, eat memory and talk nonsense.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include <gmock/gmock.h>
#include <unistd.h>

#include "harness/runtimes/worker_pool.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;

const std::string kWorker = std::string(VINTAGE_BINARY) + "/bin/vintage_misbehaving_worker";

WorkerPoolOptions optionsFor(std::vector<std::string> arguments = {}) {
  WorkerPoolOptions options;
  options.command = {kWorker};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.workers = 2;
  options.timeout = std::chrono::seconds(2);
  options.memoryLimitBytes = size_t{1} << 30;
  return options;
}

struct Finished {
  Status status;
  std::map<std::string, WorkerResult> results;
};

Finished runNamed(const WorkerPoolOptions& options, const std::vector<std::string>& names) {
  auto host = makePosixProcessHost();
  WorkerPool pool(options, *host);
  Finished finished;
  size_t next = 0;
  Tensor input(ElementType::kF32, {2});
  input.mutableValues<float>()[1] = 1.5f;
  finished.status = pool.run(
      [&]() -> Result<std::optional<ExecuteRequest>> {
        if (next == names.size()) return std::nullopt;
        ExecuteRequest request;
        request.id = next;
        request.name = names[next++];
        request.platform = "cpu";
        request.inputs = {input};
        return request;
      },
      [&](WorkerResult result) -> Status {
        if (result.outcome == OutcomeKind::kPass) {
          EXPECT_EQ(result.outputs.size(), 1u);
          EXPECT_TRUE(result.outputs[0].identical(input));
        }
        finished.results[names[result.id]] = std::move(result);
        return {};
      });
  return finished;
}

struct Misbehaviour {
  const char* name;
  OutcomeKind outcome;
  const char* says;
};
class MisbehavingWorker : public testing::TestWithParam<Misbehaviour> {};

TEST_P(MisbehavingWorker, CostsOneOutcome) {
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("good " + std::to_string(i));
  names.insert(names.begin() + 11, GetParam().name);
  WorkerPoolOptions options = optionsFor();
  // Filling the memory takes seconds on a busy machine; only a hang has to be waited for.
  if (GetParam().outcome != OutcomeKind::kTimeout) options.timeout = std::chrono::minutes(1);
  const Finished finished = runNamed(options, names);
  ASSERT_TRUE(finished.status) << finished.status.error().message;
  ASSERT_EQ(finished.results.size(), names.size());
  for (const auto& [name, result] : finished.results) {
    if (name != GetParam().name) {
      EXPECT_EQ(result.outcome, OutcomeKind::kPass) << name << ": " << result.detail;
      continue;
    }
    EXPECT_EQ(result.outcome, GetParam().outcome);
    EXPECT_THAT(result.detail, HasSubstr(GetParam().says));
    EXPECT_TRUE(result.retried);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Ways, MisbehavingWorker,
    testing::Values(Misbehaviour{"crash", OutcomeKind::kCrash, "about to crash"},
                    Misbehaviour{"hang", OutcomeKind::kTimeout, "no answer within 2 s"},
                    Misbehaviour{"memory", OutcomeKind::kCrash, "no memory left"},
                    Misbehaviour{"garbage", OutcomeKind::kCrash, "not a message"},
                    Misbehaviour{"exit", OutcomeKind::kCrash, "exited with status 7"},
                    Misbehaviour{"close", OutcomeKind::kCrash, "closed its output"},
                    Misbehaviour{"wrong-turn", OutcomeKind::kCrash, "out of turn"}),
    [](const auto& info) {
      std::string name = info.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(WorkerProcess, ACrashThatDoesNotComeBackIsForgiven) {
  const auto marker =
      std::filesystem::temp_directory_path() / ("vintage_crash_once_" + std::to_string(::getpid()));
  std::filesystem::remove(marker);
  const std::string name = "crash-once:" + marker.string();
  const Finished finished = runNamed(optionsFor(), {"good", name});
  EXPECT_TRUE(std::filesystem::remove(marker));
  ASSERT_EQ(finished.results.size(), 2u);
  EXPECT_EQ(finished.results.at(name).outcome, OutcomeKind::kPass);
  EXPECT_TRUE(finished.results.at(name).retried);
}

TEST(WorkerProcess, AnErrorIsTheWorkersAnswerAndNotRetried) {
  const Finished finished = runNamed(optionsFor(), {"error"});
  const WorkerResult& result = finished.results.at("error");
  EXPECT_EQ(result.outcome, OutcomeKind::kError);
  EXPECT_EQ(result.stage, Stage::kCompile);
  EXPECT_EQ(result.detail, "it was asked to say this");
  EXPECT_FALSE(result.retried);
}

TEST(WorkerProcess, GreetTellsTheBuild) {
  auto host = makePosixProcessHost();
  WorkerPool pool(optionsFor(), *host);
  auto hello = pool.greet();
  ASSERT_TRUE(hello) << hello.error().message;
  EXPECT_EQ(hello->build.name, "misbehaving");
  EXPECT_EQ(formatDate(hello->build.buildDate), "2026-01-02");
}

TEST(WorkerProcess, ThoseThatCannotStartSayWhy) {
  struct Start {
    std::vector<std::string> command;
    std::string_view says;
  };
  const std::vector<Start> starts{
      {{kWorker, "--exit-at-start"}, "a library is missing"},
      {{kWorker, "--no-hello"}, "no greeting within"},
      {{kWorker, "--garbage-hello"}, "not a message"},
      {{"/nonexistent/worker"}, "cannot be started"},
  };
  for (const Start& start : starts) {
    WorkerPoolOptions options = optionsFor();
    options.command = start.command;
    // Only one of them has to wait until it ends.
    if (start.says == "no greeting within") options.startTimeout = std::chrono::milliseconds(300);
    const Finished finished = runNamed(options, {"good"});
    ASSERT_FALSE(finished.status) << start.says;
    EXPECT_THAT(finished.status.error().message, HasSubstr(start.says));
    EXPECT_TRUE(finished.results.empty());
  }
}

}  // namespace
}  // namespace vintage::tests
