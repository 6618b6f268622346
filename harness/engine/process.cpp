#include "harness/engine/process.h"

#include <latch>
#include <new>
#include <system_error>
#include <utility>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

namespace {

thread_local GridProcess* currentProcess = nullptr;

Result<std::vector<Value>> runOne(ProcessRun& run, ProcessNumber number, const FramePlan& frame,
                                  std::vector<Value> arguments, const RunOptions& options) {
  const GridProcess process(run, number);
  try {
    return runFrame(frame, {}, std::move(arguments), options);
  } catch (const std::bad_alloc&) {
    return noResource("running the program: this machine has no memory left for it");
  }
}

// A manual part within another one. Each device runs it already: it goes on with its own piece, and
// those that differ only in the axes of a result put that together.
Result<std::vector<Value>> runWithin(const GridProcess& process, const ParallelPlan& plan,
                                     std::vector<Value> operands, const RunOptions& options) {
  const ProcessNumber first = process.replica() * process.grid().partitions;
  const std::vector<Tensor> whole = outputsOf(std::move(operands));
  std::vector<Tensor> pieces;
  for (size_t i = 0; i < whole.size(); ++i) {
    ASSIGN_OR_RETURN(pieces.emplace_back(),
                     pieceOf(plan.placements->inputs[i], whole[i], process.partition()));
  }
  const FramePlan& body = *plan.programs[static_cast<size_t>(process.partition())];
  ASSIGN_OR_RETURN(auto own, runFrame(body, {}, valuesOf(std::move(pieces)), options));
  for (size_t i = 0; i < own.size(); ++i) {
    const Sharers sharers = sharersWith(process.partition(), plan.placements->outputs[i]);
    if (sharers.devices.size() == 1) continue;
    ProcessGroup group;
    for (const int64_t each : sharers.devices) group.push_back(first + each);
    ASSIGN_OR_RETURN(const auto met,
                     process.rendezvous().meet(process.number(), group, 0,
                                               fmt::format("result {} of a manual part", i),
                                               Payload{std::move(own[i])}));
    std::vector<Tensor> all;
    for (const Payload& each : *met) all.push_back(each.front().tensor);
    ASSIGN_OR_RETURN(own[i].tensor, joinPieces(sharers.placement, all, Copies::kFirstIsTaken));
  }
  return own;
}

}  // namespace

GridProcess::GridProcess(ProcessRun& run, ProcessNumber number)
    : run_(run), number_(number), outer_(std::exchange(currentProcess, this)) {}

GridProcess::~GridProcess() { currentProcess = outer_; }

GridProcess* GridProcess::current() { return currentProcess; }

std::shared_ptr<void> ProcessRun::shared(const void* key,
                                         const std::function<std::shared_ptr<void>()>& make) {
  const std::lock_guard lock(sharedMutex_);
  std::weak_ptr<void>& known = shared_[key];
  auto state = known.lock();
  if (!state) known = state = make();
  return state;
}

Result<std::vector<Tensor>> ProcessRun::takeFromHost() {
  if (infeed_ == nullptr)
    return unsupported("it takes data from a host, and this run was given none");
  const std::lock_guard lock(infeedMutex_);
  if (infeed_->empty()) return badInput("the host has no more data for it: the queue is empty");
  std::vector<Tensor> values = std::move(infeed_->front());
  infeed_->pop_front();
  return values;
}

Result<std::vector<Value>> runAlone(const FramePlan& frame, std::vector<Value> arguments,
                                    const RunOptions& options) {
  ProcessRun run(ProcessGrid{}, options.infeed);
  auto result = runOne(run, 0, frame, std::move(arguments), options);
  Status met = run.outcome();
  if (met) return result;
  // It waited for a process that there is not, or sent to one.
  return unsupported("{}", result ? met.error().message : result.error().message);
}

Result<std::vector<std::vector<Value>>> runProcesses(const ProcessGrid& grid,
                                                     std::span<const FramePlan* const> frames,
                                                     std::vector<std::vector<Value>> arguments,
                                                     const RunOptions& options) {
  const size_t count = frames.size();
  std::vector<std::vector<Value>> results(count);
  if (count == 1) {
    ASSIGN_OR_RETURN(results[0], runAlone(*frames[0], std::move(arguments[0]), options));
    return results;
  }
  ProcessRun run(grid, options.infeed);
  Rendezvous& rendezvous = run.rendezvous();
  RunOptions each = options;
  each.memoryLimitBytes /= count;
  // It refers to locals, so this call returns only after every process has ended.
  const auto body = [&](size_t i) noexcept {
    auto result =
        runOne(run, static_cast<ProcessNumber>(i), *frames[i], std::move(arguments[i]), each);
    Status status;
    if (result)
      results[i] = std::move(*result);
    else
      status = tl::unexpected(result.error());
    rendezvous.end(static_cast<ProcessNumber>(i), status);
  };
  std::optional<ProcessThreads> own;
  ProcessThreads& threads = options.threads != nullptr ? *options.threads : own.emplace();
  // The last of them runs here.
  std::latch ended(static_cast<ptrdiff_t>(count) - 1);
  for (size_t i = 0; i + 1 < count; ++i) {
    try {
      threads.start([&, i] {
        body(i);
        ended.count_down();
      });
    } catch (const std::system_error& error) {
      rendezvous.end(static_cast<ProcessNumber>(i),
                     noResource("no thread can be started for it: {}", error.what()));
      ended.count_down();
    }
  }
  body(count - 1);
  ended.wait();
  RETURN_IF_ERROR(rendezvous.outcome());
  return results;
}

Result<TensorRows> runPieces(const ParallelPlan& plan, TensorRows pieces,
                             const RunOptions& options) {
  std::vector<const FramePlan*> frames;
  std::vector<std::vector<Value>> arguments;
  for (const auto& program : plan.programs) frames.push_back(program.get());
  for (std::vector<Tensor>& device : pieces) arguments.push_back(valuesOf(std::move(device)));
  ASSIGN_OR_RETURN(auto results, runProcesses(plan.grid, frames, std::move(arguments), options));
  return rowsOf(std::move(results));
}

Result<std::vector<Value>> runParallelStep(const ParallelPlan& plan, std::vector<Value> operands,
                                           const RunOptions& options) {
  if (plan.placements) {
    const GridProcess* outer = GridProcess::current();
    if (outer != nullptr && outer->grid().count() > 1) {
      if (outer->grid().partitions == plan.grid.partitions)
        return runWithin(*outer, plan, std::move(operands), options);
      return unsupported("a manual part over {} devices lies within a program of {}",
                         plan.grid.partitions, outer->grid().partitions);
    }
    ASSIGN_OR_RETURN(auto pieces, splitRows(plan.placements->inputs, outputsOf(std::move(operands)),
                                            plan.programs.size()));
    ASSIGN_OR_RETURN(const auto results, runPieces(plan, std::move(pieces), options));
    ASSIGN_OR_RETURN(auto joined, joinRows(plan.placements->outputs, results));
    return valuesOf(std::move(joined));
  }
  InfeedQueue infeed;
  for (const auto& function : plan.infeed) {
    const FramePlan* frame = function.get();
    ASSIGN_OR_RETURN(auto values, runProcesses({}, {&frame, 1}, {{}}, options));
    infeed.push_back(outputsOf(std::move(values[0])));
  }
  std::vector<const FramePlan*> frames;
  std::vector<std::vector<Value>> arguments;
  auto operand = operands.begin();
  for (const auto& program : plan.programs) {
    frames.push_back(program.get());
    auto& mine = arguments.emplace_back();
    for (size_t i = 0; i < program->block.arguments.size(); ++i)
      mine.push_back(std::move(*operand++));
  }
  RunOptions inner = options;
  inner.infeed = &infeed;
  ASSIGN_OR_RETURN(auto results, runProcesses(plan.grid, frames, std::move(arguments), inner));
  std::vector<Value> row;
  for (std::vector<Value>& each : results)
    for (Value& value : each) row.push_back(std::move(value));
  return row;
}

ProcessThreads::~ProcessThreads() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ProcessThreads::start(std::function<void()> body) {
  const std::lock_guard lock(mutex_);
  // A thread that was woken for a body counts as idle until it takes it.
  if (bodies_.size() == idle_) {
    threads_.emplace_back([this] { serve(); });
    ++idle_;
  }
  bodies_.push_back(std::move(body));
  changed_.notify_one();
}

void ProcessThreads::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || !bodies_.empty(); });
    if (bodies_.empty()) return;
    const std::function<void()> body = std::move(bodies_.front());
    bodies_.pop_front();
    --idle_;
    lock.unlock();
    body();
    lock.lock();
    ++idle_;
  }
}

}  // namespace vintage::harness
