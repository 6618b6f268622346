#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/typed_words.h"
#include "harness/replay/cluster/scheduler.h"

namespace vintage::harness {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::chrono::seconds kBetweenLooks{1};
// A controller that restarts or is busy answers again within so many seconds.
constexpr int kUnansweredLooks = 300;
constexpr size_t kQuotedLog = 2000;

// DIR/submitted.json: the command, and the submitted tasks. A call that ends between a submission
// and the writing of this file leaves a job that the next call does not know: its tasks may run
// twice, which costs time and changes no result.
struct Submitted {
  struct Job {
    std::string job;  // Its id.
    std::vector<int> tasks;
  };
  std::vector<std::string> command;
  int shards = 0;
  std::vector<Job> jobs;

  std::map<int, int> attempts() const {
    std::map<int, int> counts;
    for (const Job& job : jobs)
      for (const int task : job.tasks) ++counts[task];
    return counts;
  }
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Submitted::Job, job, tasks)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Submitted, command, shards, jobs)

Result<Submitted> read(const fs::path& file) {
  ASSIGN_OR_RETURN(auto bytes, readFile(file));
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  try {
    return json::parse(text, text + bytes.size(), nullptr, false).get<Submitted>();
  } catch (const json::exception& problem) {
    return badInput("{}: {}; remove the folder to begin anew", file.string(), problem.what());
  }
}

std::string endOf(const fs::path& log) {
  auto bytes = readFile(log);
  if (!bytes) return "it printed nothing that can be read here";
  std::string text(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  while (text.ends_with('\n')) text.pop_back();
  if (text.empty()) return "it printed nothing";
  return text.size() > kQuotedLog ? "…" + text.substr(text.size() - kQuotedLog) : text;
}

class ShardedRun {
 public:
  ShardedRun(const ShardedWork& work, Scheduler& scheduler, Clock& clock,
             const std::function<void(const ShardedProgress&)>& progress)
      : work_(work), scheduler_(scheduler), clock_(clock), report_(progress) {}

  Result<ShardedProgress> run() {
    RETURN_IF_ERROR(open());
    for (;;) {
      const std::set<int> missing = withoutResult();
      ASSIGN_OR_RETURN(auto alive, stillAlive());
      progress_ = {static_cast<size_t>(work_.shards) - missing.size(),
                   static_cast<size_t>(work_.shards), submittedAgain()};
      report_(progress_);
      if (missing.empty()) return progress_;
      // A task may have written its result and ended since it was looked for.
      std::vector<int> lost;
      for (const int task : missing)
        if (!alive.contains(task) && !hasResult(task)) lost.push_back(task);
      if (!lost.empty()) RETURN_IF_ERROR(submit(lost));
      clock_.sleep(kBetweenLooks);
    }
  }

 private:
  Status open() {
    std::error_code problem;
    fs::create_directories(logs(), problem);
    if (problem) return ioError("{}: {}", logs().string(), problem.message());
    if (fs::exists(list(), problem)) {
      ASSIGN_OR_RETURN(submitted_, read(list()));
      if (submitted_.command != work_.command || submitted_.shards != work_.shards)
        return conflict("{} holds the parts of other work; remove it, or choose another folder",
                        work_.folder.string());
    }
    submitted_.command = work_.command;
    submitted_.shards = work_.shards;
    return writeTextFile(script(), scriptText());
  }

  std::string scriptText() const {
    std::string line = "exec";
    for (const std::string& word : work_.command) {
      line += ' ';
      const size_t number = word.find(kTaskNumber);
      if (number == std::string::npos) {
        line += shellWord(word);
        continue;
      }
      // The number is expanded by the task's shell, and what is around it is not.
      const std::string before = word.substr(0, number),
                        behind = word.substr(number + std::string_view(kTaskNumber).size());
      if (!before.empty()) line += shellWord(before);
      line += '"' + scheduler_.taskNumber() + '"';
      if (!behind.empty()) line += shellWord(behind);
    }
    return "#!/bin/sh\n" + line + "\n";
  }

  bool hasResult(int task) const {
    std::error_code problem;
    return fs::exists(resultOf(work_.folder, task), problem);
  }

  std::set<int> withoutResult() const {
    std::set<int> tasks;
    for (int task = 1; task <= work_.shards; ++task)
      if (!hasResult(task)) tasks.insert(task);
    return tasks;
  }

  Result<std::set<int>> stillAlive() {
    std::set<int> alive;
    for (auto job = submitted_.jobs.begin(); job != submitted_.jobs.end(); ++job) {
      if (ended_.contains(job->job)) continue;
      auto tasks = scheduler_.alive(job->job);
      for (int looks = 1; !tasks && looks < kUnansweredLooks; ++looks) {
        clock_.sleep(kBetweenLooks);
        tasks = scheduler_.alive(job->job);
      }
      if (!tasks)
        return ioError("{}; its tasks go on, and the same call waits for them again",
                       tasks.error().message);
      if (tasks->empty()) ended_.insert(job->job);
      alive.insert(tasks->begin(), tasks->end());
    }
    return alive;
  }

  Status submit(const std::vector<int>& tasks) {
    const auto attempts = submitted_.attempts();
    for (const int task : tasks)
      if (const auto made = attempts.find(task);
          made != attempts.end() && made->second >= work_.attempts)
        return ioError(
            "task {} of {} was submitted {} and wrote no result; the last time it ended with:\n{}",
            task, work_.shards, made->second == 1 ? "once" : fmt::format("{} times", made->second),
            endOf(lastLog(task)));
    ASSIGN_OR_RETURN(auto job, scheduler_.submit({work_.name, script(), logs(), tasks}));
    submitted_.jobs.push_back({job, tasks});
    return writeTextFile(list(), json(submitted_).dump(1) + "\n");
  }

  fs::path lastLog(int task) const {
    fs::path log;
    for (const Submitted::Job& job : submitted_.jobs)
      if (std::ranges::find(job.tasks, task) != job.tasks.end())
        log = scheduler_.log(logs(), job.job, task);
    return log;
  }

  size_t submittedAgain() const {
    size_t again = 0;
    for (const auto& [task, count] : submitted_.attempts()) again += static_cast<size_t>(count - 1);
    return again;
  }

  fs::path logs() const { return work_.folder / "logs"; }
  fs::path list() const { return work_.folder / "submitted.json"; }
  fs::path script() const { return work_.folder / "task.sh"; }

  const ShardedWork& work_;
  Scheduler& scheduler_;
  Clock& clock_;
  const std::function<void(const ShardedProgress&)>& report_;
  Submitted submitted_;
  std::set<std::string> ended_;
  ShardedProgress progress_;
};

}  // namespace

fs::path resultOf(const fs::path& folder, int task) {
  return folder / fmt::format("part-{}.json", task);
}

Result<ShardedProgress> runShards(const ShardedWork& work, Scheduler& scheduler, Clock& clock,
                                  const std::function<void(const ShardedProgress&)>& progress) {
  return ShardedRun(work, scheduler, clock, progress).run();
}

}  // namespace vintage::harness
