// A process: one (replica, partition) of a run, on a thread of its own.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "harness/engine/engine.h"
#include "harness/engine/plan.h"
#include "harness/engine/process_grid.h"
#include "harness/engine/rendezvous.h"

namespace vintage::harness {

// The state that the processes of one run share. Safe to use from all of them.
class ProcessRun {
 public:
  // `infeed` may be null and must outlive the run.
  ProcessRun(const ProcessGrid& grid, InfeedQueue* infeed) : grid_(grid), infeed_(infeed) {
    if (grid.count() > 1) rendezvous_.emplace(grid);
  }

  const ProcessGrid& grid() const { return grid_; }
  // Most programs of a single process exchange nothing, so theirs is made at the first call; only
  // that process can make one.
  Rendezvous& rendezvous() { return rendezvous_ ? *rendezvous_ : rendezvous_.emplace(grid_); }
  // How the processes met, once they ended.
  Status outcome() const { return rendezvous_ ? rendezvous_->outcome() : Status(); }
  // Processes check it between operations. Null: there is no other process that could fail.
  const std::atomic<bool>* stopped() const {
    return grid_.count() > 1 ? &rendezvous_->stopped() : nullptr;
  }

  // State that several processes share: the first to ask for `key` makes it, and it lives as long
  // as one of them keeps it.
  std::shared_ptr<void> shared(const void* key, const std::function<std::shared_ptr<void>()>& make);

  // The next values from the host.
  Result<std::vector<golden::Tensor>> takeFromHost();

 private:
  const ProcessGrid grid_;
  std::optional<Rendezvous> rendezvous_;
  std::mutex infeedMutex_;
  InfeedQueue* infeed_;
  std::mutex sharedMutex_;
  std::map<const void*, std::weak_ptr<void>> shared_;
};

// The process that the current thread runs, as long as this lives. Kernels of
// collectives find it by current(), because a region that a kernel calls (an
// async_start's) belongs to the same process and is called without a context.
class GridProcess {
 public:
  GridProcess(ProcessRun& run, ProcessNumber number);
  ~GridProcess();
  GridProcess(const GridProcess&) = delete;
  GridProcess& operator=(const GridProcess&) = delete;

  // Null outside of a run.
  static GridProcess* current();

  ProcessRun& run() const { return run_; }
  const ProcessGrid& grid() const { return run_.grid(); }
  Rendezvous& rendezvous() const { return run_.rendezvous(); }
  ProcessNumber number() const { return number_; }
  int64_t replica() const { return number_ / grid().partitions; }
  int64_t partition() const { return number_ % grid().partitions; }

 private:
  ProcessRun& run_;
  const ProcessNumber number_;
  GridProcess* const outer_;
};

// The only process of a run.
Result<std::vector<Value>> runAlone(const FramePlan& frame, std::vector<Value> arguments,
                                    const RunOptions& options);

// Runs frames[i] with arguments[i] as process i of the grid and gives the
// results in the same order. The limit on memory is shared out evenly; the
// limit of time holds for each. The first error of any process ends them all
// and is returned with the process in front; that of a single process as it is.
Result<std::vector<std::vector<Value>>> runProcesses(const ProcessGrid& grid,
                                                     std::span<const FramePlan* const> frames,
                                                     std::vector<std::vector<Value>> arguments,
                                                     const RunOptions& options);

// A plan with placements on the pieces of each device.
Result<TensorRows> runPieces(const ParallelPlan& plan, TensorRows pieces,
                             const RunOptions& options);
// The step of interpreter.run_parallel, with its operands in a row.
Result<std::vector<Value>> runParallelStep(const ParallelPlan& plan, std::vector<Value> operands,
                                           const RunOptions& options);

// The threads on which the processes of a program run, kept for the next program: small programs
// take less time than a thread takes to start.
//
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

}  // namespace vintage::harness
