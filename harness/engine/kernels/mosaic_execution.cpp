// One run of a Mosaic kernel over its grid.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/kernels/kernel_orders.h"
#include "harness/engine/kernels/mosaic_kernel.h"
#include "harness/engine/kernels/mosaic_run.h"
#include "harness/engine/kernels/mosaic_windows.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int64_t kMostSteps = int64_t{1} << 24;

using Content = KernelMemory::Content;
using Order = MosaicDevices::Order;

Result<std::shared_ptr<KernelMemory>> memoryOf(std::string name, Tensor content, Content state) {
  ASSIGN_OR_RETURN(auto tensor, signless(std::move(content)));
  return std::make_shared<KernelMemory>(std::move(name), std::move(tensor), state);
}

}  // namespace

class MosaicExecution {
 public:
  MosaicExecution(const MosaicKernel& kernel, std::span<const Tensor> inputs, MosaicRun& run,
                  Order order)
      : kernel_(kernel), inputs_(inputs), run_(run), order_(order) {}

  Result<std::vector<Tensor>> results(WatchedElement* watched) {
    RETURN_IF_ERROR(readGrid());
    RETURN_IF_ERROR(makeMemories());
    if (watched) watch(*watched);
    if (steps_ == 0) RETURN_IF_ERROR(run_.devices->arrive(run_.device));
    std::vector<int64_t> counters(run_.bounds.size(), 0);
    for (int64_t step = 0; step < steps_; ++step) {
      place(counters);
      if (auto done = runStep(step == 0); !done) return atStep(done.error());
      nextStep(run_.bounds, counters);
    }
    RETURN_IF_ERROR(run_.devices->end(run_.device));
    std::vector<Tensor> results;
    for (size_t i = 0; i < kernel_.outputs_.size(); ++i) {
      RETURN_IF_ERROR(windows_[inputCount_ + i].writeBack());
      ASSIGN_OR_RETURN(results.emplace_back(),
                       retyped(arrays_[inputCount_ + i]->tensor(), kernel_.outputs_[i].element));
    }
    return results;
  }

 private:
  Status readGrid() {
    run_.bounds = kernel_.bounds_;
    for (int64_t& bound : run_.bounds) {
      if (bound == kDynamicBound) bound = integerElement(inputs_[next_++], 0);
      if (bound < 0) return badInput("the grid has a bound of {}", bound);
      if (__builtin_mul_overflow(steps_, bound, &steps_) || steps_ > kMostSteps)
        return noResource("the grid of {} has more than {} steps", fmt::join(run_.bounds, " x "),
                          kMostSteps);
    }
    return {};
  }

  Status makeMemories() {
    for (size_t i = 0; i < kernel_.prefetched_; ++i, ++next_) {
      ASSIGN_OR_RETURN(auto table, memoryOf(fmt::format("prefetched operand {}", i), inputs_[next_],
                                            Content::kWritten));
      prefetched_.push_back(MemoryView::whole(std::move(table)));
    }
    inputCount_ = kernel_.inputs_.size() - next_;
    for (size_t i = 0; i < kernel_.operands_.size(); ++i) {
      const bool isOutput = i >= inputCount_;
      ASSIGN_OR_RETURN(arrays_.emplace_back(),
                       isOutput ? outputArray(i - inputCount_)
                                : memoryOf(fmt::format("operand {}", next_ + i), inputs_[next_ + i],
                                           Content::kWritten));
      ASSIGN_OR_RETURN(auto window,
                       OperandWindows::make(kernel_.operands_[i], arrays_.back(), isOutput));
      windows_.push_back(std::move(window));
    }
    for (size_t i = 0; i < kernel_.scratch_.size(); ++i) {
      RETURN_IF_ERROR(run_.reserve(bytesOf(kernel_.scratch_[i])));
      ASSIGN_OR_RETURN(scratch_.emplace_back(),
                       scratchMemory(kernel_.scratch_[i], std::to_string(i)));
      run_.devices->keep(run_.device, &kernel_.scratch_[i], scratch_.back().view->memory);
    }
    ASSIGN_OR_RETURN(run_.barrier, memoryOf("the barrier semaphore", Tensor(ElementType::kI64, {}),
                                            Content::kWritten));
    run_.devices->keep(run_.device, &kernel_, run_.barrier);
    return {};
  }

  // An operand's own array where the result overwrites it.
  Result<std::shared_ptr<KernelMemory>> outputArray(size_t output) {
    if (const int64_t alias = kernel_.aliases_[output] - static_cast<int64_t>(next_); alias >= 0)
      return arrays_[static_cast<size_t>(alias)];
    const ValueType& type = kernel_.outputs_[output];
    ASSIGN_OR_RETURN(auto content, unwrittenTensor(type.element, type.shape));
    return memoryOf(fmt::format("result {}", output), std::move(content), Content::kUnwritten);
  }

  // Backward, parallel dimensions run from their end.
  void place(const std::vector<int64_t>& counters) {
    run_.step = counters;
    for (size_t i = 0; i < counters.size(); ++i)
      if (order_ == Order::kBackward && kernel_.parallel_[i])
        run_.step[i] = run_.bounds[i] - 1 - counters[i];
  }

  Status runStep(bool isFirst) {
    KernelValues indices;
    for (int64_t index : run_.step) indices.push_back(indexTensor(index));
    KernelValues arguments = indices;
    arguments.insert(arguments.end(), prefetched_.begin(), prefetched_.end());
    for (size_t i = 0; i < windows_.size(); ++i) {
      ASSIGN_OR_RETURN(auto view, windows_[i].at(indices, prefetched_, run_));
      run_.devices->keep(run_.device, &kernel_.operands_[i], view.memory);
      arguments.push_back(std::move(view));
    }
    arguments.insert(arguments.end(), scratch_.begin(), scratch_.end());
    if (isFirst) RETURN_IF_ERROR(run_.devices->arrive(run_.device));
    RETURN_IF_ERROR(kernel_.main_->call(std::move(arguments), run_));
    return {};
  }

  tl::unexpected<Error> atStep(Error error) const {
    if (!run_.step.empty()) error.message += "\n  at " + stepText() + " of the grid";
    return tl::unexpected(std::move(error));
  }
  std::string stepText() const { return fmt::format("step ({})", fmt::join(run_.step, ", ")); }

  void watch(WatchedElement& watched) {
    watched.watch(
        run_,
        [this, &watched] {
          return windows_[inputCount_ + watched.result].bytesOf(watched.element);
        },
        [this] { return stepText(); });
  }

  const MosaicKernel& kernel_;
  std::span<const Tensor> inputs_;
  MosaicRun& run_;
  const Order order_;
  int64_t steps_ = 1;
  size_t next_ = 0;  // The first input behind bounds and prefetched ones.
  size_t inputCount_ = 0;
  KernelValues prefetched_, scratch_;
  std::vector<std::shared_ptr<KernelMemory>> arrays_;
  std::vector<OperandWindows> windows_;
};

Result<std::vector<Tensor>> MosaicKernel::run(std::span<const Tensor> inputs,
                                              int64_t mostOperations) const {
  if (inputs.size() != inputs_.size())
    return badInput("{} operands instead of {}", inputs.size(), inputs_.size());
  const GridProcess* process = GridProcess::current();
  const bool together = communicates_ && process != nullptr && process->grid().count() > 1;
  const bool isParallel = std::ranges::find(parallel_, true) != parallel_.end();
  const OrderCheck check{
      .orders = together || isParallel ? 2 : 1,
      .what = together ? "the order in which devices and parallel dimensions of the grid run"
                       : "the order in which the parallel dimensions of the grid run",
      // Devices run together, and this one alone knows of the difference.
      .namesPlaces = !together};
  return runInOrders(
      check, [&](int number, WatchedElement* watched) -> Result<std::vector<Tensor>> {
        const Order order = number == 0 ? Order::kForward : Order::kBackward;
        ASSIGN_OR_RETURN(auto devices, MosaicDevices::join(this, name(), communicates_, order));
        MosaicRun run(std::move(devices), MosaicDevices::self(communicates_), mostOperations);
        auto results = MosaicExecution(*this, inputs, run, order).results(watched);
        if (!results && together)
          return within(fmt::format("on device {}", run.device), results.error());
        return results;
      });
}

}  // namespace vintage::harness
