// What starts tasks on other machines. One thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

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
  // What the script expands to the number of its task: "$SLURM_ARRAY_TASK_ID".
  virtual std::string taskNumber() const = 0;
  // The job's id. An error is final: the scheduler refuses the job.
  virtual Result<std::string> submit(const JobArray& job) = 0;
  // The tasks that wait or run; none where the job is not known any more. An error may pass: a
  // controller that is busy or starts again.
  virtual Result<std::set<int>> alive(const std::string& job) = 0;
  // What task `task` of the job printed.
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

}  // namespace vintage::harness
