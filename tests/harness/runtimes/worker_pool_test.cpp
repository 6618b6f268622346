// The pool against workers that are only played: the clock, the pipes and the
// deaths are the test's.

#include "harness/runtimes/worker_pool.h"

#include <deque>
#include <map>
#include <set>

#include <gmock/gmock.h>

#include "tests/harness/runtimes/wire.h"

namespace vintage::tests {
using namespace archive;
using namespace harness;

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

// The reaction of a played worker to one request.
enum class Act { kAnswer, kDie, kHang, kGarbage };

// Decides by the artifact's name and by how often it was tried before.
using Script = std::function<Act(const std::string& name, int attempt)>;

struct Play {
  Script script = [](const std::string&, int) { return Act::kAnswer; };
  bool diesAtStart = false;
  std::map<std::string, int> attempts;
  std::vector<std::vector<std::string>> executedBy;  // One list for each process.
  size_t mostHeld = 0;
  size_t writeChunk = size_t(-1);
  int requestsHeld = 4;  // As its hello says.
  // This process greets when another one has died, and is dead when it is next looked at.
  std::optional<size_t> doomed;
  bool oneDied = false;
};

class PlayedProcess final : public Process {
 public:
  PlayedProcess(Play& stage, size_t number) : stage_(stage), number_(number) {
    if (stage.diesAtStart) {
      end_ = ProcessEnd{false, 5};
      return;
    }
    if (stage.doomed != number) greet();
  }
  size_t write(std::span<const std::byte> bytes) override {
    if (end_) return 0;
    bytes = bytes.first(std::min(bytes.size(), stage_.writeChunk));
    reader_.append(bytes);
    for (auto frame = reader_.next(); frame && *frame; frame = reader_.next())
      held_.push_back(*requestFromFrame(std::move(**frame)));
    stage_.mostHeld = std::max(stage_.mostHeld, held_.size());
    return bytes.size();
  }
  std::vector<std::byte> read() override { return std::exchange(said_, {}); }
  bool outputEnded() const override { return end_.has_value() && said_.empty(); }
  void kill() override {
    if (!end_) end_ = ProcessEnd{true, 9};
  }
  std::optional<ProcessEnd> end() override { return end_; }
  std::string errorTail() override { return "last words\n"; }

  // Works on the front request; false when there is nothing to do.
  bool work() {
    if (stage_.doomed == number_) return meetDoom();
    if (end_ || held_.empty() || hanging_) return false;
    const ExecuteRequest request = std::move(held_.front());
    held_.pop_front();
    stage_.executedBy[number_].push_back(request.name);
    ExecuteReply reply;
    reply.id = request.id;
    switch (stage_.script(request.name, stage_.attempts[request.name]++)) {
      case Act::kAnswer:
        say(wireForm(reply));
        break;
      case Act::kDie:
        end_ = ProcessEnd{true, 11};
        stage_.oneDied = true;
        break;
      case Act::kHang:
        hanging_ = true;
        break;
      case Act::kGarbage:
        say(std::vector<std::byte>(64, std::byte{0xee}));
        break;
    }
    return true;
  }
  bool hasNews() const { return !said_.empty() || end_; }

 private:
  void greet() {
    HelloMessage hello;
    hello.build.name = "played";
    hello.requestsHeld = stage_.requestsHeld;
    say(wireForm(hello));
    greeted_ = true;
  }
  bool meetDoom() {
    if (end_ || !stage_.oneDied) return false;
    if (greeted_)
      end_ = ProcessEnd{true, 9};
    else
      greet();
    return true;
  }
  void say(const std::vector<std::byte>& bytes) {
    said_.insert(said_.end(), bytes.begin(), bytes.end());
  }

  Play& stage_;
  size_t number_;
  FrameReader reader_{FrameLimits{}};
  std::deque<ExecuteRequest> held_;
  std::vector<std::byte> said_;
  std::optional<ProcessEnd> end_;
  bool greeted_ = false;
  bool hanging_ = false;
};

class PlayedHost final : public ProcessHost {
 public:
  explicit PlayedHost(Play& stage) : stage_(stage) {}
  Result<std::unique_ptr<Process>> start(const ProcessOptions&) override {
    stage_.executedBy.emplace_back();
    return std::make_unique<PlayedProcess>(stage_, stage_.executedBy.size() - 1);
  }
  void wait(std::span<const Interest> interests, Clock::time_point deadline) override {
    bool news = false;
    for (const Interest& interest : interests) {
      auto* process = static_cast<PlayedProcess*>(interest.process);
      news |= process->work() || process->hasNews() || interest.wantsToWrite;
    }
    now_ = news ? now_ + milliseconds(1) : deadline;
  }
  Clock::time_point now() override { return now_; }

 private:
  Play& stage_;
  Clock::time_point now_{seconds(1000)};
};

struct Outcome {
  std::map<std::string, WorkerResult> results;
  Status status;
};

Outcome runJobs(Play& stage, const std::vector<std::string>& names, int workers = 2,
                milliseconds ahead = milliseconds(0)) {
  PlayedHost host(stage);
  WorkerPoolOptions options;
  options.ahead = ahead;
  options.command = {"played"};
  options.workers = workers;
  options.timeout = seconds(10);
  WorkerPool pool(options, host);
  Outcome outcome;
  size_t next = 0;
  outcome.status = pool.run(
      [&]() -> Result<std::optional<ExecuteRequest>> {
        if (next == names.size()) return std::nullopt;
        ExecuteRequest request;
        request.id = next;
        request.name = names[next++];
        return request;
      },
      [&](WorkerResult result) -> Status {
        const std::string& name = names[result.id];
        EXPECT_FALSE(outcome.results.contains(name)) << name << " came twice";
        outcome.results[name] = std::move(result);
        return {};
      });
  return outcome;
}

std::vector<std::string> manyNames(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("job " + std::to_string(i));
  return names;
}

TEST(WorkerPool, EveryJobIsAnsweredOnce) {
  Play stage;
  const auto outcome = runJobs(stage, manyNames(100));
  ASSERT_TRUE(outcome.status);
  EXPECT_EQ(outcome.results.size(), 100u);
  for (const auto& [name, result] : outcome.results) {
    EXPECT_EQ(result.outcome, OutcomeKind::kPass);
    EXPECT_FALSE(result.retried);
  }
  EXPECT_EQ(stage.executedBy.size(), 2u);
  EXPECT_GT(stage.mostHeld, 1u) << "requests must wait in the worker, not in the parent";
  EXPECT_LE(stage.mostHeld, 4u);
}

// Its jobs take a millisecond or two of the played clock.
TEST(WorkerPool, AQuickWorkerHoldsAsManyAsItSays) {
  Play stage;
  stage.requestsHeld = 24;
  const auto outcome = runJobs(stage, manyNames(200), 2, milliseconds(500));
  ASSERT_TRUE(outcome.status);
  EXPECT_EQ(outcome.results.size(), 200u);
  EXPECT_EQ(stage.mostHeld, 24u);
}

TEST(WorkerPool, ASlowWorkerHoldsFewSinceOthersMayTakeThem) {
  Play stage;
  stage.requestsHeld = 24;
  ASSERT_TRUE(runJobs(stage, manyNames(200), 2, milliseconds(1)).status);
  EXPECT_LE(stage.mostHeld, 4u);
}

TEST(WorkerPool, OfManyHeldOnlyTheOneThatKillsIsBlamed) {
  Play stage;
  stage.requestsHeld = 24;
  stage.script = [](const std::string& name, int) {
    return name == "job 117" ? Act::kDie : Act::kAnswer;
  };
  const auto outcome = runJobs(stage, manyNames(200), 2, milliseconds(500));
  ASSERT_TRUE(outcome.status);
  ASSERT_EQ(outcome.results.size(), 200u);
  for (const auto& [name, result] : outcome.results)
    EXPECT_EQ(result.outcome, name == "job 117" ? OutcomeKind::kCrash : OutcomeKind::kPass) << name;
}

TEST(WorkerPool, WritesThatAreCutUpArriveWhole) {
  Play stage;
  stage.writeChunk = 7;
  EXPECT_EQ(runJobs(stage, manyNames(5)).results.size(), 5u);
}

TEST(WorkerPool, NoJobsIsNoWork) {
  Play stage;
  EXPECT_TRUE(runJobs(stage, {}).status);
}

struct Failure {
  Act act;
  OutcomeKind outcome;
  const char* says;
};
class WorkerFailure : public testing::TestWithParam<Failure> {};

TEST_P(WorkerFailure, CostsOneOutcomeAfterATryAlone) {
  Play stage;
  stage.script = [&](const std::string& name, int) {
    return name == "job 17" ? GetParam().act : Act::kAnswer;
  };
  const auto outcome = runJobs(stage, manyNames(60));
  ASSERT_TRUE(outcome.status) << outcome.status.error().message;
  ASSERT_EQ(outcome.results.size(), 60u);
  for (const auto& [name, result] : outcome.results) {
    if (name == "job 17") {
      EXPECT_EQ(result.outcome, GetParam().outcome);
      EXPECT_TRUE(result.retried);
      EXPECT_THAT(result.detail, HasSubstr(GetParam().says));
      EXPECT_THAT(result.detail, HasSubstr("last words"));
    } else {
      EXPECT_EQ(result.outcome, OutcomeKind::kPass) << name;
    }
  }
  EXPECT_EQ(stage.attempts["job 17"], 2);
  // The second try had a worker to itself.
  int alone = 0;
  for (const auto& executed : stage.executedBy)
    alone += executed == std::vector<std::string>{"job 17"};
  EXPECT_EQ(alone, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, WorkerFailure,
    testing::Values(Failure{Act::kDie, OutcomeKind::kCrash, "killed by signal 11"},
                    Failure{Act::kHang, OutcomeKind::kTimeout, "no answer within 10 s"},
                    Failure{Act::kGarbage, OutcomeKind::kCrash, "not a message"}));

TEST(WorkerPool, AFailureThatDoesNotComeBackIsForgiven) {
  Play stage;
  stage.script = [](const std::string& name, int attempt) {
    return name == "job 3" && attempt == 0 ? Act::kDie : Act::kAnswer;
  };
  const auto outcome = runJobs(stage, manyNames(10));
  EXPECT_EQ(outcome.results.at("job 3").outcome, OutcomeKind::kPass);
  EXPECT_TRUE(outcome.results.at("job 3").retried);
}

// An event that killed both workers at once (a system without memory, an operator) was taken for
// two crashes of one artifact: the job of the first was tried again in the second, which had just
// greeted and was dead already.
TEST(WorkerPool, TheTryAloneHasAWorkerThatStartedAfterTheFailure) {
  Play stage;
  stage.doomed = 1;
  stage.script = [](const std::string& name, int attempt) {
    return name == "job 3" && attempt == 0 ? Act::kDie : Act::kAnswer;
  };
  const auto outcome = runJobs(stage, manyNames(10));
  ASSERT_TRUE(outcome.status);
  ASSERT_EQ(outcome.results.size(), 10u);
  for (const auto& [name, result] : outcome.results)
    EXPECT_EQ(result.outcome, OutcomeKind::kPass) << name << ": " << result.detail;
}

TEST(WorkerPool, ManyFailuresCostAsManyOutcomes) {
  Play stage;
  std::set<std::string> bad;
  for (int i = 0; i < 200; i += 3) bad.insert("job " + std::to_string(i));
  stage.script = [&](const std::string& name, int) {
    if (!bad.contains(name)) return Act::kAnswer;
    return name.back() == '6' ? Act::kHang : Act::kDie;
  };
  for (int workers : {1, 2, 5}) {
    stage.attempts.clear();
    const auto outcome = runJobs(stage, manyNames(200), workers);
    ASSERT_TRUE(outcome.status);
    ASSERT_EQ(outcome.results.size(), 200u);
    for (const auto& [name, result] : outcome.results)
      EXPECT_EQ(result.outcome != OutcomeKind::kPass, bad.contains(name)) << name;
  }
}

TEST(WorkerPool, AWorkerThatCannotStartBreaksTheRunAndBlamesNoJob) {
  Play stage;
  stage.diesAtStart = true;
  const auto outcome = runJobs(stage, manyNames(4));
  ASSERT_FALSE(outcome.status);
  EXPECT_THAT(outcome.status.error().message, HasSubstr("cannot start a worker: "));
  EXPECT_THAT(outcome.status.error().message, HasSubstr("exited with status 5"));
  EXPECT_THAT(outcome.status.error().message, HasSubstr("last words"));
  EXPECT_TRUE(outcome.results.empty());
}

TEST(WorkerPool, AnErrorOfTheSourceEndsTheRun) {
  Play stage;
  PlayedHost host(stage);
  WorkerPoolOptions options;
  options.command = {"played"};
  WorkerPool pool(options, host);
  const Status status = pool.run(
      []() -> Result<std::optional<ExecuteRequest>> {
        return failure(Error::Kind::kIo, "the disk is gone");
      },
      [](WorkerResult) -> Status { return {}; });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "the disk is gone");
}

}  // namespace
}  // namespace vintage::tests
