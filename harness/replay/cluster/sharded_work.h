// All parts of some work, brought to their end by a scheduler.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "golden/base/clock.h"
#include "golden/base/result.h"
#include "harness/replay/cluster/scheduler.h"

namespace vintage::harness {

struct ShardedWork {
  std::string name;  // "vintage-window"
  int shards = 1;
  // What a task runs, words for a shell. kTaskNumber in a word becomes the number of the task,
  // from 1. It writes resultOf(folder, number) as the last thing it does.
  std::vector<std::string> command;
  std::filesystem::path folder;  // Seen by all machines under this name; made where it is missing.
  int attempts = 3;              // How often a task is submitted at most.
};
inline constexpr const char* kTaskNumber = "{task}";

std::filesystem::path resultOf(const std::filesystem::path& folder, int task);

struct ShardedProgress {
  size_t done = 0, total = 0, running = 0;  // `running` wait or run.
  size_t submittedAgain = 0;
};

// Returns when each part has its result. Goes on with what an earlier call for the same folder
// submitted; kConflict where that was other work. kIo where a task has no result after all its
// attempts (its log is quoted) or the scheduler does not answer for minutes; what runs goes on.
Result<ShardedProgress> runShards(const ShardedWork& work, Scheduler& scheduler, Clock& clock,
                                  const std::function<void(const ShardedProgress&)>& progress);

}  // namespace vintage::harness
