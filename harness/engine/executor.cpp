// Runs plans: moves values between slots and calls kernels.
#include <utility>

#include "golden/base/failures.h"
#include "harness/engine/kernel.h"
#include "harness/engine/plan.h"
#include "harness/engine/process.h"

namespace vintage::harness {
using namespace golden;

namespace {

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
      : limit(options.memoryLimitBytes), host(options.host), time(options) {}

  size_t limit;
  size_t live = 0;
  HostQueues* host = nullptr;
  TimeCheck time;

  // What is left, for the processes of a step.
  RunOptions rest() const {
    return {.memoryLimitBytes = live < limit ? limit - live : 0,
            .timeLimit = time.left(),
            .host = host};
  }

  Status allow(const Step& step, size_t bytes) const {
    if (live <= limit && bytes <= limit - live) return {};
    return noResource(
        "{} needs {} bytes beside {} bytes of live tensors; the limit is "
        "{} bytes. Raise the memory limit or use a smaller case",
        step.name, bytes, live, limit);
  }
};

class FrameRunner {
 public:
  FrameRunner(const FramePlan& plan, Budget& budget)
      : plan_(plan), budget_(budget), slots_(static_cast<size_t>(plan.slots)) {}
  FrameRunner(const FrameRunner&) = delete;
  ~FrameRunner() {
    for (const Value& value : slots_) budget_.live -= bytesOf(value);
  }

  void set(int32_t slot, Value value) {
    Value& place = slots_[static_cast<size_t>(slot)];
    budget_.live += bytesOf(value) - bytesOf(place);
    place = std::move(value);
  }

  Result<std::vector<Value>> run(const BlockPlan& block, std::vector<Value> arguments) {
    for (size_t i = 0; i < arguments.size(); ++i) set(block.arguments[i], std::move(arguments[i]));
    RETURN_IF_ERROR(budget_.time.check());
    for (const Step& step : block.steps) {
      auto status = budget_.time.check();
      if (status) status = run(step);
      if (!status) return tl::unexpected(at(step, std::move(status.error())));
      for (const int32_t slot : step.releases) release(slot);
    }
    return take(block.results);
  }

 private:
  void release(int32_t slot) {
    Value& value = slots_[static_cast<size_t>(slot)];
    budget_.live -= bytesOf(value);
    value = Value();
  }

  Value take(const OperandPlace& place) {
    if (place.index < 0) return plan_.constants[static_cast<size_t>(~place.index)];
    Value& value = slots_[static_cast<size_t>(place.index)];
    if (!place.last) return value;
    budget_.live -= bytesOf(value);
    Value taken = std::move(value);
    value = Value();
    budget_.live += bytesOf(value);
    return taken;
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
    for (const OperandPlace& place : step.operands) operands_.push_back(take(place));
    size_t operandBytes = 0;
    for (size_t i = 0; i < operands_.size(); ++i)
      if (step.operands[i].last) operandBytes += bytesOf(operands_[i]);
    RETURN_IF_ERROR(budget_.allow(step, step.staticResultBytes));
    results_.clear();
    results_.resize(step.results.size());
    const size_t used = budget_.live + operandBytes;
    const size_t available = used < budget_.limit ? budget_.limit - used : 0;
    KernelCall call{operands_, results_, operands_, available};
    RETURN_IF_ERROR(kernel(call));
    operands_.clear();
    return store(step, results_);
  }

  Status runDeferred(const Step& step) {
    const DeferredKernel& deferred = *step.deferred;
    std::vector<std::vector<Value>> captured;
    for (const RegionPlan& region : deferred.regions) captured.push_back(take(region.captures));
    ASSIGN_OR_RETURN(auto kernel,
                     makeKernel(deferred.operation, deferred.operandTypes, deferred.resultTypes,
                                deferred.regions, captured, step.shortcuts));
    return runKernel(step, kernel);
  }

  Status runCall(const Step& step) {
    FrameRunner callee(*step.callee, budget_);
    ASSIGN_OR_RETURN(auto results, callee.run(step.callee->block, take(step.operands)));
    return store(step, results);
  }

  Status runWhile(const Step& step) {
    std::vector<Value> state = take(step.operands);
    for (;;) {
      ASSIGN_OR_RETURN(auto condition, run(step.blocks[0], state));
      const Tensor& flag = condition[0].tensor;
      if (flag.type() != ElementType::kI1 || flag.size() != 1)
        return badInput("the condition gives {}; it must be bool[]", golden::describe(flag));
      if (flag.values<uint8_t>()[0] == 0) break;
      ASSIGN_OR_RETURN(state, run(step.blocks[1], std::move(state)));
    }
    return store(step, state);
  }

  Status runBranch(const Step& step) {
    const Value selector = take(step.operands[0]);
    if (selector.isToken || selector.isTuple || selector.tensor.size() != 1 ||
        isFloat(selector.tensor.type()) || isComplex(selector.tensor.type()))
      return badInput("the selector is {}; it must be an integer or bool scalar",
                      describe(selector));
    const int64_t index = integerElement(selector.tensor, 0);
    const auto last = std::ssize(step.blocks) - 1;
    int64_t branch = index < 0 || index > last ? last : index;
    if (step.kind == Step::Kind::kIf) branch = index != 0 ? 0 : 1;
    ASSIGN_OR_RETURN(auto results, run(step.blocks[static_cast<size_t>(branch)], {}));
    return store(step, results);
  }

  const FramePlan& plan_;
  Budget& budget_;
  std::vector<Value> slots_;
  std::vector<Value> operands_, results_;  // Of the kernel that runs.
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

Result<Kernel> makeKernel(const Operation& operation, std::span<const ValueType> operandTypes,
                          std::span<const ValueType> resultTypes,
                          std::span<const RegionPlan> regions,
                          std::span<const std::vector<Value>> captured, bool shortcuts) {
  const OperationEntry* entry = findOperation(operation.name);
  if (entry == nullptr) return unsupported("the engine does not have {}", operation.name);
  std::vector<RegionFunction> functions;
  std::vector<std::string> names;
  std::vector<std::shared_ptr<const ScalarProgram>> programs;
  for (size_t i = 0; i < regions.size(); ++i) {
    const RegionPlan& region = regions[i];
    std::vector<Value> values = i < captured.size() ? captured[i] : std::vector<Value>{};
    names.push_back(shortcuts ? region.shortcut : std::string());
    programs.push_back(region.program == nullptr || values.empty() ? region.program
                                                                   : region.program->bind(values));
    functions.push_back([frame = region.frame, values = std::move(values)](
                            std::span<const Value> arguments) -> Result<std::vector<Value>> {
      return runFrame(*frame, values, {arguments.begin(), arguments.end()}, RunOptions{});
    });
  }
  const KernelRequest request{.operation = operation,
                              .operandTypes = operandTypes,
                              .resultTypes = resultTypes,
                              .regions = functions,
                              .regionShortcuts = names,
                              .regionPrograms = programs};
  if (computesOnQuantized(request)) return makeQuantizedKernel(*entry, request);
  return entry->plan(request);
}

}  // namespace vintage::harness
