#include "harness/engine/kernels/kernel_plan.h"

#include <algorithm>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int kDeepestCall = 64;

// An error of a step, with its operation and where that was written.
tl::unexpected<Error> atStep(const KernelRegion::Step& step, Error error) {
  // The innermost step says it.
  if (error.message.find("\n  in the kernel at ") == std::string::npos)
    error.message = fmt::format("{}: {}\n  in the kernel at {}", step.name, error.message,
                                step.location.empty() ? "an unknown place" : step.location);
  return tl::unexpected(std::move(error));
}

}  // namespace

Status KernelRun::spend(int64_t elements) {
  elements_ += elements;
  if (++operations_ <= mostOperations_ && elements_ <= kMostElements) return {};
  return noResource("the kernel was stopped after {} operations: it is too long, or does not end",
                    operations_);
}

Status KernelRun::reserve(int64_t bytes) {
  if (bytes > kMostBytes - bytes_)
    return noResource("the kernel has more than {} bytes of values and memories", kMostBytes);
  bytes_ += bytes;
  return {};
}

int64_t bytesOf(const ValueType& type) {
  constexpr int64_t kTooMany = int64_t{1} << 40;
  const auto count = checkedElementCount(type.shape);
  return count && *count < kTooMany ? *count * static_cast<int64_t>(byteWidth(type.element))
                                    : kTooMany;
}

Result<const Tensor*> KernelFrame::tensor(ValueId value) const {
  if (const auto& tensor = values_[value].tensor) {
    const ValueType& type = function_.valueTypes[value];
    if (type.kind == ValueType::Kind::kTensor && !tensor->has(type.element, type.shape))
      return badInput("an operand is {} where {} is declared", describe(*tensor), type.text);
    return &*tensor;
  }
  return badInput("an operand is {}, not an array or a number",
                  values_[value].view ? "a memory" : "used before it is defined");
}

Result<const MemoryView*> KernelFrame::view(ValueId value) const {
  if (const auto& view = values_[value].view) return &*view;
  return badInput("an operand is {}, not a memory",
                  values_[value].tensor ? "an array" : "used before it is defined");
}

Result<int64_t> KernelFrame::integer(ValueId value) const {
  ASSIGN_OR_RETURN(const auto* tensor, this->tensor(value));
  if (tensor->size() != 1 || isFloat(tensor->type()) || isComplex(tensor->type()))
    return badInput("an operand is {}, not an integer", describe(*tensor));
  return integerElement(*tensor, 0);
}

Result<std::vector<int64_t>> KernelFrame::integers(std::span<const ValueId> values) const {
  std::vector<int64_t> result;
  for (ValueId value : values) {
    ASSIGN_OR_RETURN(result.emplace_back(), integer(value));
  }
  return result;
}

Result<KernelValues> KernelFrame::runRegion(const KernelRegion& region, KernelValues arguments) {
  size_t index = 0;
  while (true) {
    const KernelRegion::Block& block = region.blocks[index];
    if (block.arguments.size() != arguments.size())
      return badInput("a block takes {} values and gets {}", block.arguments.size(),
                      arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)
      values_[block.arguments[i]] = std::move(arguments[i]);
    for (const KernelRegion::Step& step : block.steps) {
      if (auto status = run_.spend(1); !status) return atStep(step, status.error());
      if (auto status = step.run(*this); !status) return atStep(step, status.error());
      if (run_.watch) run_.watch(step);
    }
    arguments = std::move(left_);
    left_.clear();
    if (!next_) return arguments;
    index = static_cast<size_t>(*std::exchange(next_, std::nullopt));
    if (index >= region.blocks.size()) return badInput("a branch leads to no block");
  }
}

Result<KernelValues> KernelFunction::call(KernelValues arguments, KernelRun& run) const {
  if (run.depth >= kDeepestCall)
    return noResource("calls of @{} are more than {} deep", source->name, kDeepestCall);
  RETURN_IF_ERROR(run.reserve(bytes));
  ++run.depth;
  KernelFrame frame(run, *source);
  auto results = frame.runRegion(body, std::move(arguments));
  --run.depth;
  run.release(bytes);
  if (results && results->size() != source->resultTypes.size())
    return badInput("@{} returns {} values instead of {}", source->name, results->size(),
                    source->resultTypes.size());
  return results;
}

const KernelFunction* KernelProgram::find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

KernelPlanner::KernelPlanner(const ModuleTree& kernel, std::span<const StepTable> tables)
    : kernel_(kernel) {
  for (StepTable table : tables)
    for (const StepEntry& entry : table) entries_.emplace(entry.name, &entry);
}

const StepEntry* KernelPlanner::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second;
}

Result<std::shared_ptr<const KernelProgram>> KernelPlanner::plan() {
  program_ = std::make_shared<KernelProgram>();
  // Made first, so that functions may call each other.
  for (const Function& function : kernel_.functions)
    program_->functions_[function.name].source = &function;
  for (const Function& function : kernel_.functions) {
    source_ = &function;
    uses_.clear();
    countUses(function.body);
    dropUnused(function.body);
    if (function.body.blocks.empty()) return badInput("@{} has no body", function.name);
    KernelFunction& planned = program_->functions_[function.name];
    for (const ValueType& type : function.valueTypes)
      if (type.kind == ValueType::Kind::kTensor) planned.bytes += bytesOf(type);
    ASSIGN_OR_RETURN(planned.body, within("@" + function.name, planRegion(function.body)));
  }
  return program_;
}

Result<std::shared_ptr<const KernelRegion>> KernelPlanner::region(const Region& region) {
  ASSIGN_OR_RETURN(auto planned, planRegion(region));
  return std::make_shared<const KernelRegion>(std::move(planned));
}

Result<const KernelFunction*> KernelPlanner::function(std::string_view name) {
  if (const KernelFunction* found = program_->find(name)) return found;
  return badInput("there is no function @{}", name);
}

Result<KernelRegion> KernelPlanner::planRegion(const Region& region) {
  KernelRegion result;
  if (region.blocks.empty()) return badInput("a region has no block");
  for (const Block& block : region.blocks) {
    KernelRegion::Block& planned = result.blocks.emplace_back();
    planned.arguments = block.arguments;
    const StepEntry* last = nullptr;
    for (const Operation& operation : block.operations) {
      last = find(operation.name);
      if (!last)
        return unsupported("the embedded engine does not have the operation {} of this kernel",
                           operation.name);
      if (unused_.contains(&operation)) continue;
      ASSIGN_OR_RETURN(auto step, within(operation.name, planOperation(operation, *last)));
      planned.steps.push_back({std::move(step), operation.name, operation.location});
    }
    if (!last || last->effect != StepEntry::Effect::kTerminates)
      return badInput("a block does not end with a terminator");
  }
  return result;
}

Result<KernelStep> KernelPlanner::planOperation(const Operation& operation,
                                                const StepEntry& entry) {
  const auto fits = [](int expected, size_t found) {
    return expected == kAnyNumber || static_cast<size_t>(expected) == found;
  };
  if (!fits(entry.operands, operation.operands.size()) ||
      !fits(entry.results, operation.results.size()))
    return badInput("it has {} operands and {} results", operation.operands.size(),
                    operation.results.size());
  return entry.make({operation, *this});
}

void KernelPlanner::countUses(const Region& region) {
  for (const Block& block : region.blocks) {
    for (const Operation& operation : block.operations) {
      for (ValueId operand : operation.operands) ++uses_[operand];
      for (const Region& nested : operation.regions) countUses(nested);
    }
  }
}

// Backwards, so that what only unused operations use is unused too. JAX loads what it stores to,
// and does not use it: memory that nothing has written yet.
void KernelPlanner::dropUnused(const Region& region) {
  for (size_t b = region.blocks.size(); b-- > 0;) {
    const auto& operations = region.blocks[b].operations;
    for (size_t i = operations.size(); i-- > 0;) {
      const Operation& operation = operations[i];
      const StepEntry* entry = find(operation.name);
      if (entry && entry->effect == StepEntry::Effect::kNone && operation.regions.empty() &&
          std::ranges::all_of(operation.results, [&](ValueId id) { return uses_[id] == 0; })) {
        unused_.insert(&operation);
        for (ValueId operand : operation.operands) --uses_[operand];
      }
      for (const Region& nested : operation.regions) dropUnused(nested);
    }
  }
}

std::vector<StepTable> sharedSteps() {
  return {arithSteps(),  compareSteps(), mathSteps(),   controlSteps(),
          vectorSteps(), memorySteps(),  productSteps()};
}

Result<std::shared_ptr<const KernelProgram>> planKernel(const ModuleTree& kernel,
                                                        std::span<const StepTable> tables) {
  return KernelPlanner(kernel, tables).plan();
}

}  // namespace vintage::harness
