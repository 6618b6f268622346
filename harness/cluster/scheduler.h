// What starts tasks on other machines. One thread at a time.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "harness/cluster/room.h"

namespace vintage::harness::cluster {

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

}  // namespace vintage::harness::cluster
