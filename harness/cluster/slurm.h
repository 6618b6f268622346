// Slurm by its commands, sbatch and squeue.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "golden/base/process_host.h"
#include "harness/cluster/scheduler.h"

namespace vintage::harness::cluster {

struct SlurmOptions {
  std::string partition;             // Empty: the cluster's default.
  int minutes = 0;                   // For a task, which is then killed; 0: the partition's limit.
  std::vector<std::string> options;  // More of sbatch's, such as --mem=8G.
};

// `host` must outlive it.
std::unique_ptr<Scheduler> slurm(SlurmOptions options, ProcessHost& host);

// "1-3,7": as sbatch takes the tasks of an array. `tasks` are in ascending order.
std::string taskRanges(const std::vector<int>& tasks);

}  // namespace vintage::harness::cluster
