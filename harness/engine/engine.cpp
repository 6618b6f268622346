#include "harness/engine/engine.h"

#include <algorithm>
#include <map>
#include <new>
#include <ranges>
#include <set>

#include <malloc.h>

#include "golden/base/failures.h"
#include "golden/tensor/block_reuse.h"
#include "harness/engine/planner.h"
#include "harness/engine/process.h"

namespace vintage::harness {
using namespace golden;

namespace {

tl::unexpected<Error> outOfMemory(std::string_view doing) {
  return noResource("{}: this machine has no memory left for it", doing);
}

Result<Value> checkedInput(const Tensor& input, const ValueType& type, size_t argument) {
  bool matches = type.kind == ValueType::Kind::kTensor && input.type() == type.element &&
                 agree(input.shape(), type.shape);
  for (size_t i = 0; matches && i < type.shape.size() && i < type.bounds.size(); ++i)
    matches = type.shape[i] != kDynamicDimension || type.bounds[i] < 0 ||
              input.shape()[i] <= type.bounds[i];
  if (!matches)
    return badInput("argument {} is {}; the program takes {}", argument, describe(input),
                    describe(type.element, type.shape));
  Value value;
  value.tensor = input;
  return value;
}

// The value of one argument from the next inputs; tuples take several.
Result<Value> nextInput(std::span<const Tensor> inputs, size_t& used, const ValueType& type) {
  Value value;
  switch (type.kind) {
    case ValueType::Kind::kToken:
      value.isToken = true;
      return value;
    case ValueType::Kind::kTuple:
      value.isTuple = true;
      for (const ValueType& element : type.elements) {
        ASSIGN_OR_RETURN(value.elements.emplace_back(), nextInput(inputs, used, element));
      }
      return value;
    default:
      const size_t argument = used++;
      if (argument >= inputs.size()) return value;
      return checkedInput(inputs[argument], type, argument);
  }
}

void appendOutputs(Value value, std::vector<Tensor>& outputs) {
  if (value.isToken) return;
  if (!value.isTuple) {
    outputs.push_back(std::move(value.tensor));
    return;
  }
  for (Value& element : value.elements) appendOutputs(std::move(element), outputs);
}

// The manual computation that takes the entry's arguments and gives its results, where there are
// only annotations and tokens beside it.
const ParallelPlan* wholeManual(const Plan::Implementation& program, const Placements& placements) {
  const auto addsUp = [](const DevicePlacement& placement) { return !placement.summed.empty(); };
  const bool holdsParts = std::ranges::any_of(placements.inputs, addsUp) ||
                          std::ranges::any_of(placements.outputs, addsUp);
  const BlockPlan& block = program.entry->block;
  std::set<int32_t> tokens;
  for (size_t i = 0; i < block.arguments.size(); ++i)
    if (isToken(program.argumentTypes[i])) tokens.insert(block.arguments[i]);
  const Step* manual = nullptr;
  std::map<int32_t, int32_t> same;  // The slot whose value a slot has.
  const auto source = [&](int32_t slot) {
    const auto found = same.find(slot);
    return found == same.end() ? slot : found->second;
  };
  for (const Step& step : block.steps) {
    if (step.kind == Step::Kind::kSame && !(holdsParts && step.mayAddUp)) {
      same[step.results[0]] = source(step.operands[0].index);
    } else if (step.kind == Step::Kind::kParallel && step.parallel->placements && !manual) {
      manual = &step;
    } else if (step.name == "stablehlo.create_token" || step.name == "stablehlo.after_all") {
      tokens.insert(step.results.begin(), step.results.end());  // Any other may have an effect.
    } else {
      return nullptr;
    }
  }
  if (manual == nullptr) return nullptr;
  const auto isValue = [&](int32_t slot) { return !tokens.contains(slot); };
  const auto sourceOf = [&](const OperandPlace& place) { return source(place.index); };
  const auto values = std::views::filter(isValue);
  const bool isWhole =
      std::ranges::equal(manual->operands, block.arguments | values, {}, sourceOf) &&
      std::ranges::equal(block.results | std::views::transform(sourceOf) | values, manual->results);
  return isWhole ? manual->parallel.get() : nullptr;
}

// Checks the pieces that each device holds against the types of the whole values.
Status checkPieces(std::span<const ValueType> types, const Placements& placements,
                   std::span<const std::vector<Tensor>> pieces) {
  for (size_t device = 0; device < pieces.size(); ++device) {
    if (pieces[device].size() != types.size() || placements.inputs.size() != types.size())
      return usageError("device {} holds pieces of {} values; the program takes {}", device,
                        pieces[device].size(), types.size());
    for (size_t i = 0; i < types.size(); ++i) {
      const DevicePlacement& placement = placements.inputs[i];
      if (placement.devices() != pieces.size())
        return usageError("argument {} is placed on {} devices of {}", i, placement.devices(),
                          pieces.size());
      const Tensor& piece = pieces[device][i];
      Shape whole = placement.pieces();
      const bool sameRank = whole.size() == piece.shape().size();
      for (size_t d = 0; sameRank && d < whole.size(); ++d) whole[d] *= piece.shape()[d];
      if (piece.type() != types[i].element || !sameRank || !agree(whole, types[i].shape))
        return badInput(
            "device {} holds {} of argument {}; the program takes {}, "
            "placed as {}",
            device, describe(piece), i, describe(types[i].element, types[i].shape),
            describe(placement));
    }
  }
  return {};
}

Status checkRounding(const Plan::Implementation& plan, const RunOptions& options) {
  if (!options.roundingSeed || plan.roundsAtRandom) return {};
  return usageError("{}: the plan was not made to round at random", plan.receiver);
}

}  // namespace

Result<std::vector<Value>> bindInputs(std::span<const ValueType> types,
                                      std::span<const Tensor> inputs, const std::string& receiver) {
  std::vector<Value> values;
  values.reserve(types.size());
  size_t used = 0;
  for (const ValueType& type : types) {
    ASSIGN_OR_RETURN(values.emplace_back(), nextInput(inputs, used, type));
  }
  if (used != inputs.size())
    return badInput("{} takes {} inputs and was given {}", receiver, used, inputs.size());
  return values;
}

std::vector<Tensor> outputsOf(std::vector<Value> values) {
  std::vector<Tensor> outputs;
  outputs.reserve(values.size());
  for (Value& value : values) appendOutputs(std::move(value), outputs);
  return outputs;
}

std::vector<Value> valuesOf(std::vector<Tensor> tensors) {
  std::vector<Value> values(tensors.size());
  for (size_t i = 0; i < values.size(); ++i) values[i].tensor = std::move(tensors[i]);
  return values;
}

TensorRows rowsOf(std::vector<std::vector<Value>> processes) {
  TensorRows outputs;
  for (std::vector<Value>& values : processes) outputs.push_back(outputsOf(std::move(values)));
  return outputs;
}

void keepFreedMemory() {
#ifdef __GLIBC__
  constexpr int kKept = 256 << 20;
  constexpr int kLargestOnHeap = 32 << 20;  // The most that the C library allows.
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_MMAP_THRESHOLD, kLargestOnHeap);
#endif
}

Plan::Plan(std::shared_ptr<const Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Result<std::vector<Tensor>> Plan::run(std::span<const Tensor> inputs,
                                      const RunOptions& options) const {
  RETURN_IF_ERROR(checkRounding(*implementation_, options));
  const BlockReuse reuse;
  try {
    ASSIGN_OR_RETURN(auto arguments,
                     bindInputs(implementation_->argumentTypes, inputs, implementation_->receiver));
    ASSIGN_OR_RETURN(auto results,
                     runAlone(*implementation_->entry, std::move(arguments), options));
    return outputsOf(std::move(results));
  } catch (const std::bad_alloc&) {
    return outOfMemory("running the program");
  }
}

Result<TensorRows> Plan::runParallel(const ProcessGrid& grid,
                                     std::span<const std::vector<Tensor>> inputs,
                                     const RunOptions& options) const {
  RETURN_IF_ERROR(checkRounding(*implementation_, options));
  RETURN_IF_ERROR(checkGrid(grid));
  if (std::ssize(inputs) != grid.count())
    return usageError("{} runs on {} processes and was given the inputs of {}",
                      implementation_->receiver, grid.count(), inputs.size());
  const BlockReuse reuse;
  try {
    std::vector<std::vector<Value>> arguments;
    for (size_t i = 0; i < inputs.size(); ++i) {
      auto values =
          bindInputs(implementation_->argumentTypes, inputs[i], implementation_->receiver);
      if (!values && inputs.size() > 1)
        return within(describe(grid, static_cast<ProcessNumber>(i)), values.error());
      if (!values) return tl::unexpected(values.error());
      arguments.push_back(std::move(*values));
    }
    const std::vector<const FramePlan*> frames(inputs.size(), implementation_->entry.get());
    ASSIGN_OR_RETURN(auto results, runProcesses(grid, frames, std::move(arguments), options));
    return rowsOf(std::move(results));
  } catch (const std::bad_alloc&) {
    return outOfMemory("running the program");
  }
}

Result<Plan> compile(const ModuleTree& module, const PlanOptions& options) {
  try {
    auto implementation = std::make_shared<Plan::Implementation>();
    ModulePlanner planner(module, options);
    ASSIGN_OR_RETURN(implementation->entry, planner.planFunction(options.entry));
    constexpr uint64_t kMostOperations = uint64_t{1} << 44;  // Days, at any speed.
    if (implementation->entry->leastOperations > kMostOperations)
      return noResource(
          "a run of @{} would execute at least {} operations, since its functions call others "
          "again and again; the embedded engine begins no run of more than {}",
          options.entry, implementation->entry->leastOperations, kMostOperations);
    const Function* function = module.find(options.entry);
    implementation->roundsAtRandom = options.roundsAtRandom;
    implementation->receiver = "@" + options.entry;
    implementation->argumentTypes = function->argumentTypes;
    return Plan(std::move(implementation));
  } catch (const std::bad_alloc&) {
    return outOfMemory("planning the program");
  }
}

Result<TensorRows> Plan::runOnDevices(const Placements& placements,
                                      std::span<const std::vector<Tensor>> pieces,
                                      const RunOptions& options) const {
  std::vector<ValueType> types;
  for (const ValueType& type : implementation_->argumentTypes)
    if (!isToken(type)) types.push_back(type);
  if (pieces.empty()) return usageError("there is no device to run on");
  RETURN_IF_ERROR(checkRounding(*implementation_, options));
  RETURN_IF_ERROR(checkPieces(types, placements, pieces));
  const BlockReuse reuse;
  try {
    const ParallelPlan* manual = wholeManual(*implementation_, placements);
    if (manual && manual->programs.size() == pieces.size() &&
        std::ranges::equal(manual->placements->inputs, placements.inputs, samePlacement) &&
        std::ranges::equal(manual->placements->outputs, placements.outputs, samePlacement))
      return runPieces(*manual, {pieces.begin(), pieces.end()}, options);
    ASSIGN_OR_RETURN(const auto inputs,
                     joinRows(placements.inputs, pieces, Copies::kMustAgree, "argument"));
    ASSIGN_OR_RETURN(const auto outputs, run(inputs, options));
    if (outputs.size() != placements.outputs.size())
      return usageError("{} results are placed, and there are {}", placements.outputs.size(),
                        outputs.size());
    return splitRows(placements.outputs, outputs, pieces.size(), "result");
  } catch (const std::bad_alloc&) {
    return outOfMemory("running the program");
  }
}

}  // namespace vintage::harness
