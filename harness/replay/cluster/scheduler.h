// Runs tasks on other machines until each part of a work has its result. One thread at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "golden/base/clock.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"

namespace vintage::harness {

struct JobArray {
  std::string name;              // "vintage-window": what the scheduler's own tools show.
  std::filesystem::path script;  // A shell script, the same for each task.
  std::filesystem::path logs;    // The folder that takes what tasks print.
  std::vector<int> tasks;        // Their numbers, from 1.
};

class Scheduler {
 public:
  virtual ~Scheduler() = default;
  // The variable that a script expands to the number of its task: "$SLURM_ARRAY_TASK_ID".
  virtual std::string taskNumber() const = 0;
  // The job's id. An error is final: the scheduler refuses the job.
  virtual Result<std::string> submit(const JobArray& job) = 0;
  // The tasks that wait or run; none where the scheduler has forgotten the job. An error may be
  // temporary: the controller is busy or restarts.
  virtual Result<std::set<int>> alive(const std::string& job) = 0;
  // The file with the output of task `task` of the job.
  virtual std::filesystem::path log(const std::filesystem::path& logs, const std::string& job,
                                    int task) const = 0;
};

// Slurm by its commands, sbatch and squeue.
struct SlurmOptions {
  std::string partition;             // Empty: the cluster's default.
  int minutes = 0;                   // For a task, which is then killed; 0: the partition's limit.
  std::vector<std::string> options;  // More of sbatch's, such as --mem=8G.
};

// `host` must outlive it.
std::unique_ptr<Scheduler> slurm(SlurmOptions options, ProcessHost& host);

// "1-3,7": as sbatch takes the tasks of an array. `tasks` are in ascending order.
std::string taskRanges(const std::vector<int>& tasks);

struct ShardedWork {
  std::string name;  // "vintage-window"
  int shards = 1;
  // The command of a task, as words for a shell. kTaskNumber in a word becomes the number of the
  // task, from 1. The task writes resultOf(folder, number) last.
  std::vector<std::string> command;
  std::filesystem::path folder;  // Seen by all machines under this name; made where it is missing.
  int attempts = 3;              // How often a task is submitted at most.
};
inline constexpr const char* kTaskNumber = "{task}";

std::filesystem::path resultOf(const std::filesystem::path& folder, int task);

struct ShardedProgress {
  size_t done = 0, total = 0, submittedAgain = 0;
};

// Returns when each part has its result. Continues the jobs that an earlier call submitted for the
// same folder; kConflict where that was other work. kIo where a task has no result after all its
// attempts (quotes its log) or the scheduler does not answer for minutes; running tasks go on.
Result<ShardedProgress> runShards(const ShardedWork& work, Scheduler& scheduler, Clock& clock,
                                  const std::function<void(const ShardedProgress&)>& progress);

}  // namespace vintage::harness
