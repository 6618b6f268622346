// Parts that fail, are lost or are slow, and calls that are broken off.
#include "harness/replay/cluster/scheduler.h"

#include <map>

#include <gmock/gmock.h>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "tests/harness/command/run_vintage.h"

namespace vintage::tests::cluster {
using namespace harness;

namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class StandingClock final : public Clock {
 public:
  std::chrono::system_clock::time_point now() override { return {}; }
  std::chrono::steady_clock::time_point steady() override { return {}; }
  void sleep(std::chrono::nanoseconds) override { ++looks; }
  int looks = 0;
};

// The state of a task when the scheduler is asked.
enum class Fate { kRuns, kFinishes, kIsLost };

class ScriptedScheduler final : public Scheduler {
 public:
  explicit ScriptedScheduler(fs::path folder) : folder_(std::move(folder)) {}

  // The fates of a task, one for each look; at the end of the list it finishes.
  std::map<int, std::vector<Fate>> fates;
  std::vector<std::vector<int>> submissions;
  int unanswered = 0;

  std::string taskNumber() const override { return "$N"; }
  Result<std::string> submit(const JobArray& job) override {
    submissions.push_back(job.tasks);
    const std::string id = std::to_string(submissions.size());
    alive_[id] = {job.tasks.begin(), job.tasks.end()};
    return id;
  }
  Result<std::set<int>> alive(const std::string& job) override {
    if (unanswered > 0) {
      --unanswered;
      return ioError("the controller does not answer");
    }
    std::set<int>& tasks = alive_[job];
    for (auto task = tasks.begin(); task != tasks.end();) {
      std::vector<Fate>& script = fates[*task];
      const Fate fate = script.empty() ? Fate::kFinishes : script.front();
      if (!script.empty()) script.erase(script.begin());
      if (fate == Fate::kFinishes) EXPECT_TRUE(writeTextFile(resultOf(folder_, *task), "{}"));
      task = fate == Fate::kRuns ? std::next(task) : tasks.erase(task);
    }
    return tasks;
  }
  fs::path log(const fs::path& logs, const std::string& job, int task) const override {
    return logs / (job + "-" + std::to_string(task));
  }

 private:
  const fs::path folder_;
  std::map<std::string, std::set<int>> alive_;
};

class Shards : public testing::Test {
 protected:
  command::Sandbox sandbox_;
  const fs::path folder_ = sandbox_.path("parts");
  ScriptedScheduler scheduler_{folder_};
  StandingClock clock_;
  ShardedWork work_{"vintage-window", 4, {"vintage", "--shard", "{task}/4", "it's"}, folder_, 3};

  Result<ShardedProgress> run() {
    return runShards(work_, scheduler_, clock_, [](const ShardedProgress&) {});
  }
};

TEST_F(Shards, AllAreSubmittedOnceAndWaitedFor) {
  scheduler_.fates[2] = {Fate::kRuns, Fate::kRuns};
  const auto ended = run();
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->done, 4u);
  EXPECT_EQ(ended->submittedAgain, 0u);
  EXPECT_THAT(scheduler_.submissions, ElementsAre(ElementsAre(1, 2, 3, 4)));
  const auto script = readFile(folder_ / "task.sh");
  ASSERT_TRUE(script);
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(script->data()), script->size()),
            "#!/bin/sh\nexec vintage --shard \"$N\"/4 'it'\\''s'\n");
}

TEST_F(Shards, WhatIsLostIsSubmittedAgainAndNothingElse) {
  scheduler_.fates[2] = {Fate::kIsLost, Fate::kIsLost};
  scheduler_.fates[3] = {Fate::kRuns, Fate::kRuns, Fate::kRuns, Fate::kIsLost};
  const auto ended = run();
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_EQ(ended->submittedAgain, 3u);
  EXPECT_THAT(scheduler_.submissions,
              ElementsAre(ElementsAre(1, 2, 3, 4), ElementsAre(2), ElementsAre(2), ElementsAre(3)));
}

TEST_F(Shards, ATaskThatNeverFinishesIsNamedWithWhatItPrinted) {
  scheduler_.fates[3] = {Fate::kIsLost, Fate::kIsLost, Fate::kIsLost};
  fs::create_directories(folder_ / "logs");
  ASSERT_TRUE(writeTextFile(folder_ / "logs" / "3-3", "vintage: the archive is gone\n"));
  const auto ended = run();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().message, HasSubstr("task 3 of 4 was submitted 3 times"));
  EXPECT_THAT(ended.error().message, HasSubstr("the archive is gone"));
}

TEST_F(Shards, ACallThatWasBrokenOffGoesOnWithItsJobs) {
  scheduler_.fates[1] = {Fate::kRuns, Fate::kRuns};
  scheduler_.unanswered = 0;
  // The first call stops when its controller does not come back.
  struct StopsAnswering {
    ScriptedScheduler& scheduler;
    void operator()(const ShardedProgress& now) const {
      if (now.done == 3) scheduler.unanswered = 1000;
    }
  };
  const auto broken = runShards(work_, scheduler_, clock_, StopsAnswering{scheduler_});
  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("the same call waits for them again"));
  scheduler_.unanswered = 5;  // Busy for a moment: no reason to give up.
  const auto ended = run();
  ASSERT_TRUE(ended) << ended.error().message;
  EXPECT_THAT(scheduler_.submissions, ElementsAre(ElementsAre(1, 2, 3, 4)));
}

TEST_F(Shards, TheFolderOfOtherWorkIsRefused) {
  ASSERT_TRUE(run());
  work_.command.push_back("--rerun");
  const auto ended = run();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().kind, Error::Kind::kConflict);
}

TEST_F(Shards, ADamagedListSaysHowToBeginAnew) {
  fs::create_directories(folder_);
  for (const char* text : {"", "{", "[]", R"({"command": [], "shards": "4", "jobs": []})"}) {
    ASSERT_TRUE(writeTextFile(folder_ / "submitted.json", text));
    const auto ended = run();
    ASSERT_FALSE(ended) << text;
    EXPECT_THAT(ended.error().message, HasSubstr("remove the folder")) << text;
  }
}

TEST(TaskRanges, AreWhatAnArrayTakes) {
  EXPECT_EQ(taskRanges({1, 2, 3, 7}), "1-3,7");
  EXPECT_EQ(taskRanges({5}), "5");
  EXPECT_EQ(taskRanges({1, 3, 4}), "1,3-4");
}

}  // namespace
}  // namespace vintage::tests::cluster
