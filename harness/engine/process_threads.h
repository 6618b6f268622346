// The threads on which the processes of a program run, kept for the next program: small programs
// take less time than a thread takes to start.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "harness/engine/room.h"

namespace vintage::harness::engine {

// For any number of runs at once. As many threads as ran at once are kept until it ends, which
// waits for all of them.
class ProcessThreads {
 public:
  ProcessThreads() = default;
  ProcessThreads(const ProcessThreads&) = delete;
  ~ProcessThreads();

  // Runs `body` at once on a thread of its own; `body` throws nothing. Throws std::system_error
  // where no thread can be started, and then `body` does not run.
  void start(std::function<void()> body);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> bodies_;  // Each has a thread that waits for it.
  size_t idle_ = 0;
  bool ended_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace vintage::harness::engine
