// Runs plans: moves values between slots and calls kernels.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <ranges>
#include <utility>

#include "golden/base/failures.h"
#include "harness/engine/kernel.h"
#include "harness/engine/plan.h"
#include "harness/engine/process.h"

namespace vintage::harness {
using namespace golden;

namespace {

// When the current process of a run has to stop.
class TimeCheck {
 public:
  // From now on. Looks at what the process of this thread shares with others.
  explicit TimeCheck(const RunOptions& options) {
    if (const GridProcess* process = GridProcess::current()) stopped_ = process->run().stopped();
    if (!options.timeLimit) return;
    // The sum of absurd limits would overflow; a day is as good as none.
    const auto most = std::chrono::milliseconds(std::chrono::hours(24));
    deadline_ = Clock::now() + std::min(*options.timeLimit, most);
  }

  // kResource after the limit, kBadInput once another process of the run has failed.
  Status check() const {
    if (stopped_ == nullptr && !deadline_) return {};
    return checkBoth();
  }
  // None: there is no limit.
  std::optional<std::chrono::milliseconds> left() const {
    if (!deadline_) return std::nullopt;
    return std::max(
        std::chrono::milliseconds(0),
        std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - Clock::now()));
  }

 private:
  using Clock = std::chrono::steady_clock;

  Status checkBoth() const {
    if (stopped_ != nullptr && *stopped_) return badInput("another process of the run has failed");
    if (!deadline_ || Clock::now() < *deadline_) return {};
    return noResource(
        "the program was stopped at its time limit. Raise the limit (--timeout), or look for a "
        "loop that does not end");
  }

  std::optional<Clock::time_point> deadline_;
  const std::atomic<bool>* stopped_ = nullptr;
};

// An error of a step, with the step's name and where it stands in the program.
Error atStep(const Step& step, Error error) {
  if (error.message.find(step.name) == std::string::npos)
    error.message = step.name + ": " + error.message;
  if (!step.location.empty() && error.message.find("\n  at ") == std::string::npos)
    error.message += "\n  at " + step.location;
  return error;
}

std::string describeValue(const Value& value) {
  if (value.isToken) return "a token";
  if (value.isTuple) return fmt::format("a tuple of {}", value.elements.size());
  return golden::describe(value.tensor);
}

bool hasType(const Value& value, const ValueType& type) {
  using Kind = ValueType::Kind;
  switch (type.kind) {
    case Kind::kTensor:
      return !value.isToken && !value.isTuple && value.tensor.type() == type.element &&
             agree(value.tensor.shape(), type.shape);
    case Kind::kToken:
      return value.isToken;
    case Kind::kTuple:
      return value.isTuple && std::ranges::equal(value.elements, type.elements, hasType);
    case Kind::kFuture:
      return value.isTuple;
    default:
      return !value.isToken && !value.isTuple;
  }
}

// As many values as the step has results, each of the type of its own.
Status checkResults(const Step& step, std::span<const Value> values) {
  if (values.size() != step.results.size())
    return badInput("{} values came out; it has {} results", values.size(), step.results.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueType& type = step.resultTypes[i];
    if (!hasType(values[i], type))
      return badInput("result {} is {}; its type is {}", i, describeValue(values[i]),
                      type.text.empty() ? golden::describe(type.element, type.shape) : type.text);
  }
  return {};
}

// A scalar predicate counts nothing: it is what an empty slot holds.
size_t bytesOf(const Value& value) {
  if (value.isTuple) {
    size_t total = 0;
    for (const Value& element : value.elements) total += bytesOf(element);
    return total;
  }
  if (value.isToken) return 0;
  const size_t bytes = static_cast<size_t>(value.tensor.size()) * byteWidth(value.tensor.type());
  return bytes == 1 ? 0 : bytes;
}

// How long one run may take, and how many bytes its live tensors take. Tensors
// that share a buffer count each, so that the limit does not depend on who else
// holds a buffer.
struct Budget {
  explicit Budget(const RunOptions& options)
      : limit(options.memoryLimitBytes),
        infeed(options.infeed),
        roundingSeed(options.roundingSeed),
        time(options) {
    if (roundingSeed) rounding.emplace(*roundingSeed);
  }

  size_t limit;
  size_t live = 0;
  InfeedQueue* infeed = nullptr;
  std::optional<uint64_t> roundingSeed;
  std::optional<RandomRounding> rounding;  // Where that is set.
  TimeCheck time;

  // The rest of memory and time, for the processes of a step.
  RunOptions rest() const {
    return {.memoryLimitBytes = live < limit ? limit - live : 0,
            .timeLimit = time.left(),
            .roundingSeed = roundingSeed,
            .infeed = infeed};
  }

  Status allow(const Step& step, size_t bytes) const {
    if (live <= limit && bytes <= limit - live) return {};
    return noResource(
        "{} needs {} bytes beside {} bytes of live tensors; the limit is "
        "{} bytes. Raise the memory limit (--memory) or use a smaller case",
        step.name, bytes, live, limit);
  }
};

class FrameRunner {
 public:
  FrameRunner(const FramePlan& plan, Budget& budget)
      : plan_(plan), budget_(budget), slots_(static_cast<size_t>(plan.slots)) {}
  FrameRunner(const FrameRunner&) = delete;
  ~FrameRunner() {
    for (const Slot& slot : slots_) budget_.live -= slot.bytes;
  }

  void set(int32_t slot, Value value) {
    Slot& place = slots_[static_cast<size_t>(slot)];
    const size_t bytes = bytesOf(value);
    budget_.live += bytes - place.bytes;
    place.value = std::move(value);
    place.bytes = bytes;
  }

  Result<std::vector<Value>> run(const BlockPlan& block, std::vector<Value> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) set(block.arguments[i], std::move(arguments[i]));
    RETURN_IF_ERROR(runSteps(block));
    return take(block.results);
  }

 private:
  struct Slot {
    Value value;
    size_t bytes = 0;  // As the budget counts the value.
  };

  Status runSteps(const BlockPlan& block) {
    RETURN_IF_ERROR(budget_.time.check());
    for (const Step& step : block.steps) {
      auto status = budget_.time.check();
      if (status) status = run(step);
      if (!status) return tl::unexpected(atStep(step, std::move(status.error())));
      for (const int32_t slot : step.releases) release(slot);
    }
    return {};
  }

  void release(int32_t slot) {
    Slot& place = slots_[static_cast<size_t>(slot)];
    budget_.live -= std::exchange(place.bytes, 0);
    place.value = Value();
  }

  Value take(const OperandPlace& place) {
    if (place.index < 0) return plan_.constants[static_cast<size_t>(~place.index)];
    Slot& slot = slots_[static_cast<size_t>(place.index)];
    if (!place.last) return slot.value;
    budget_.live -= std::exchange(slot.bytes, 0);
    Value taken = std::move(slot.value);
    slot.value.isToken = slot.value.isTuple = false;  // The rest of it is empty already.
    return taken;
  }

  // Valid until the next call.
  template <typename Places>
  std::span<Value> collect(const Places& places) {
    moved_.clear();
    for (const OperandPlace& place : places) moved_.push_back(take(place));
    return moved_;
  }

  // All are taken before the first is set: a loop's state may change its places.
  void move(std::span<const OperandPlace> from, std::span<const int32_t> to) {
    const std::span<Value> values = collect(from);
    for (size_t i = 0; i < to.size(); ++i) set(to[i], std::move(values[i]));
  }

  std::vector<Value> take(const std::vector<OperandPlace>& places) {
    std::vector<Value> values;
    values.reserve(places.size());
    for (const OperandPlace& place : places) values.push_back(take(place));
    return values;
  }

  Status store(const Step& step, std::span<Value> values) {
    RETURN_IF_ERROR(checkResults(step, values));
    for (size_t i = 0; i < values.size(); ++i) set(step.results[i], std::move(values[i]));
    return {};
  }

  Status run(const Step& step) {
    switch (step.kind) {
      case Step::Kind::kKernel:
        return runKernel(step, step.kernel);
      case Step::Kind::kDeferred:
        return runDeferred(step);
      case Step::Kind::kCall:
        return runCall(step);
      case Step::Kind::kWhile:
        return runWhile(step);
      case Step::Kind::kIf:
      case Step::Kind::kCase:
        return runBranch(step);
      case Step::Kind::kSame: {
        Value value = take(step.operands[0]);
        return store(step, {&value, 1});
      }
      case Step::Kind::kParallel: {
        ASSIGN_OR_RETURN(auto results,
                         runParallelStep(*step.parallel, take(step.operands), budget_.rest()));
        return store(step, results);
      }
    }
    return {};
  }

  Status runKernel(const Step& step, const Kernel& kernel) {
    // Kept for the next step: a kernel may run other frames, but not this one again.
    operands_.clear();
    const size_t liveBefore = budget_.live;
    for (const OperandPlace& place : step.operands) operands_.push_back(take(place));
    const size_t operandBytes = liveBefore - budget_.live;  // They are used last.
    RETURN_IF_ERROR(budget_.allow(step, step.staticResultBytes));
    results_.clear();
    results_.resize(step.results.size());
    const size_t used = budget_.live + operandBytes;
    const size_t available = used < budget_.limit ? budget_.limit - used : 0;
    RandomRounding* random = budget_.rounding && step.rounding.kind != Rounding::Kind::kNone
                                 ? &*budget_.rounding
                                 : nullptr;
    if (random != nullptr) random->moveOperands(step.rounding, operands_);
    // Whether a result is exact shows beside the operands, so they stay.
    KernelCall call{operands_, results_, random ? std::span<Value>() : operands_, available};
    RETURN_IF_ERROR(kernel(call));
    if (random != nullptr) random->moveResults(step.rounding, operands_, results_);
    operands_.clear();
    return store(step, results_);
  }

  Status runDeferred(const Step& step) {
    const DeferredKernel& deferred = *step.deferred;
    std::vector<std::vector<Value>> captured;
    for (const RegionPlan& region : deferred.regions) captured.push_back(take(region.captures));
    ASSIGN_OR_RETURN(auto kernel,
                     makeKernel(deferred.operation, deferred.operandTypes, step.resultTypes,
                                deferred.regions, captured, step.shortcuts));
    return runKernel(step, kernel);
  }

  Status runCall(const Step& step) {
    FrameRunner callee(*step.callee, budget_);
    ASSIGN_OR_RETURN(auto results, callee.run(step.callee->block, take(step.operands)));
    return store(step, results);
  }

  Status runWhile(const Step& step) {
    const BlockPlan& condition = step.blocks[0];
    const BlockPlan& body = step.blocks[1];
    const std::vector<int32_t>& state = body.arguments;
    move(step.operands, state);
    for (;;) {
      RETURN_IF_ERROR(runSteps(condition));
      const Tensor flag = take(condition.results[0]).tensor;
      if (flag.type() != ElementType::kI1 || flag.size() != 1)
        return badInput("the condition gives {}; it must be bool[]", golden::describe(flag));
      if (flag.values<uint8_t>()[0] == 0) break;
      RETURN_IF_ERROR(runSteps(body));
      move(body.results, state);
    }
    const auto lastOf = [](int32_t slot) { return OperandPlace{slot, true}; };
    return store(step, collect(state | std::views::transform(lastOf)));
  }

  Status runBranch(const Step& step) {
    const Value selector = take(step.operands[0]);
    if (selector.isToken || selector.isTuple || selector.tensor.size() != 1 ||
        isFloat(selector.tensor.type()) || isComplex(selector.tensor.type()))
      return badInput("the selector is {}; it must be an integer or bool scalar",
                      describeValue(selector));
    const int64_t index = integerElement(selector.tensor, 0);
    const auto last = std::ssize(step.blocks) - 1;
    int64_t branch = index < 0 || index > last ? last : index;
    if (step.kind == Step::Kind::kIf) branch = index != 0 ? 0 : 1;
    const BlockPlan& block = step.blocks[static_cast<size_t>(branch)];
    RETURN_IF_ERROR(runSteps(block));
    return store(step, collect(block.results));
  }

  const FramePlan& plan_;
  Budget& budget_;
  std::vector<Slot> slots_;
  std::vector<Value> operands_, results_;  // Of the kernel that runs.
  std::vector<Value> moved_;               // From a block to slots.
};

}  // namespace

Result<std::vector<Value>> runFrame(const FramePlan& frame, std::span<const Value> captured,
                                    std::vector<Value> arguments, const RunOptions& options) {
  if (arguments.size() != frame.block.arguments.size())
    return badInput("a region takes {} arguments and was given {}", frame.block.arguments.size(),
                    arguments.size());
  Budget budget(options);
  FrameRunner runner(frame, budget);
  for (size_t i = 0; i < captured.size(); ++i) runner.set(frame.captures[i], captured[i]);
  return runner.run(frame.block, std::move(arguments));
}

}  // namespace vintage::harness
