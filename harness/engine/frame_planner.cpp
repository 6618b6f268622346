// Blocks: which slot each value has, and where it is used last.
#include "harness/engine/planner.h"

#include <algorithm>
#include <unordered_set>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/fusion.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/plan.h"

namespace vintage::harness {
using namespace golden;

Result<FramePlan> FramePlanner::plan(const Region& region, const std::vector<ValueId>& captured,
                                     const std::vector<std::pair<ValueId, Value>>& constants) {
  for (const auto& [value, constant] : constants) constants_[value] = addConstant(constant);
  for (const ValueId value : captured) frame_.captures.push_back(newSlot(value));
  ASSIGN_OR_RETURN(frame_.block, planRegion(region));
  return std::move(frame_);
}

int32_t FramePlanner::newSlot(ValueId value) {
  slots_[value] = frame_.slots;
  return frame_.slots++;
}

int32_t FramePlanner::addConstant(Value value) {
  frame_.constants.push_back(std::move(value));
  return ~static_cast<int32_t>(frame_.constants.size() - 1);
}

Result<ValueType> FramePlanner::typeOf(const Operation& operation, ValueId value) const {
  if (value >= function_.valueTypes.size())
    return malformed(operation, "value {} has no type", value);
  return function_.valueTypes[value];
}

Result<OperandPlace> FramePlanner::place(const Operation& operation, ValueId value) const {
  if (const auto found = constants_.find(value); found != constants_.end())
    return OperandPlace{found->second, false};
  if (const auto found = slots_.find(value); found != slots_.end())
    return OperandPlace{found->second, false};
  return malformed(operation, "value {} is used before it is defined", value);
}

Result<BlockPlan> FramePlanner::planRegion(const Region& region, const BlockArguments& arguments) {
  if (region.blocks.size() != 1)
    return badInput("function {}: a region has {} blocks; StableHLO's have one", function_.name,
                    region.blocks.size());
  return planBlock(region.blocks[0], arguments);
}

FramePlanner::BlockState FramePlanner::liveness(std::span<const ValueId> arguments,
                                                std::span<const Operation* const> operations) {
  BlockState state;
  state.defined.insert(arguments.begin(), arguments.end());
  for (size_t i = 0; i < operations.size(); ++i) {
    const Operation& operation = *operations[i];
    state.defined.insert(operation.results.begin(), operation.results.end());
    for (const ValueId value : usesOf(operation)) state.lastUse[value] = i;
  }
  return state;
}

Result<BlockPlan> FramePlanner::planBlock(const Block& block, const BlockArguments& arguments) {
  if (block.operations.empty())
    return badInput("function {}: a block has no terminator", function_.name);
  if (const auto gathered = gatherManualParts(block)) return planBlock(*gathered, arguments);
  if (const auto changed = dropTokensOfManualParts(block, function_))
    return planBlock(*changed, arguments);
  if (fuses_)
    if (const auto fused = fuseElementwise(block.operations, function_.valueTypes))
      return planOperations(block.arguments, fused->operations, arguments);
  std::vector<const Operation*> operations;
  for (const Operation& operation : block.operations) operations.push_back(&operation);
  return planOperations(block.arguments, operations, arguments);
}

Result<BlockPlan> FramePlanner::planOperations(std::span<const ValueId> values,
                                               std::span<const Operation* const> operations,
                                               const BlockArguments& arguments) {
  BlockPlan plan;
  const BlockState state =
      liveness(arguments.areKept ? std::span<const ValueId>() : values, operations);
  plan.steps.reserve(operations.size() - 1);
  for (size_t i = 0; i < values.size(); ++i) {
    if (i < arguments.slots.size()) slots_[values[i]] = arguments.slots[i];
    plan.arguments.push_back(i < arguments.slots.size() ? arguments.slots[i] : newSlot(values[i]));
  }
  for (size_t i = 0; i + 1 < operations.size(); ++i) {
    const Operation& operation = *operations[i];
    if (operation.name == "stablehlo.constant" || operation.name == "chlo.constant" ||
        operation.name == kNumber) {
      const bool isUsed = std::ranges::any_of(
          operation.results, [&](ValueId value) { return state.lastUse.contains(value); });
      if (isUsed) RETURN_IF_ERROR(planConstant(operation));
      continue;
    }
    auto step = planOperation(operation);
    if (!step) return tl::unexpected(described(operation, step.error()));
    addLiveness(operation, i, state, *step);
    plan.steps.push_back(std::move(*step));
  }
  const Operation& terminator = *operations.back();
  if (terminator.name != "func.return" && terminator.name != "stablehlo.return" &&
      terminator.name != "sdy.return")
    return malformed(terminator, "a block must end in func.return, stablehlo.return or sdy.return");
  for (size_t i = 0; i < terminator.operands.size(); ++i) {
    const ValueId value = terminator.operands[i];
    ASSIGN_OR_RETURN(auto result, place(terminator, value));
    result.last = optimizes() && result.index >= 0 && state.defined.contains(value) &&
                  std::ranges::count(terminator.operands, value) == 1;
    plan.results.push_back(result);
  }
  return plan;
}

Error FramePlanner::described(const Operation& operation, Error error) const {
  if (!operation.location.empty() && error.message.find("\n  at ") == std::string::npos)
    error.message += fmt::format("\n  at {} (function {})", operation.location, function_.name);
  return error;
}

void FramePlanner::addLiveness(const Operation& operation, size_t index, const BlockState& state,
                               Step& step) {
  if (!optimizes()) return;
  std::vector<ValueId> nested;
  for (const Region& region : operation.regions)
    std::ranges::copy(capturedValues(region), std::back_inserter(nested));
  std::unordered_set<ValueId> released;
  const auto diesHere = [&](ValueId value) {
    const auto use = state.lastUse.find(value);
    return state.defined.contains(value) && use != state.lastUse.end() && use->second == index;
  };
  for (size_t i = 0; i < operation.operands.size(); ++i) {
    const ValueId value = operation.operands[i];
    if (step.operands[i].index < 0 || !diesHere(value)) continue;
    if (std::ranges::count(operation.operands, value) == 1 &&
        std::ranges::find(nested, value) == nested.end()) {
      step.operands[i].last = true;
    } else if (released.insert(value).second) {
      step.releases.push_back(step.operands[i].index);
    }
  }
  for (const ValueId value : nested) {
    const auto slot = slots_.find(value);
    if (slot != slots_.end() && diesHere(value) && released.insert(value).second)
      step.releases.push_back(slot->second);
  }
  for (const ValueId value : operation.results)
    if (!state.lastUse.contains(value)) step.releases.push_back(slots_.at(value));
}

Status FramePlanner::planConstant(const Operation& operation) {
  if (operation.results.size() != 1) return malformed(operation, "it must have one result");
  ASSIGN_OR_RETURN(auto type, typeOf(operation, operation.results[0]));
  Value value;
  ASSIGN_OR_RETURN(value.tensor, denseValue(operation, type));
  if (operation.name == kNumber) {
    const Tensor number = value.tensor;
    ASSIGN_OR_RETURN(value.tensor, Tensor::makeUninitialized(type.element, type.shape));
    fill(value.tensor.mutableBytes(), number.bytes());
  }
  if (!value.tensor.has(type.element, type.shape))
    return malformed(operation, "the constant is {} and its type {}", describe(value.tensor),
                     describe(type.element, type.shape));
  constants_[operation.results[0]] = addConstant(std::move(value));
  return {};
}

Result<std::vector<ValueType>> FramePlanner::typesOf(const Operation& operation,
                                                     const std::vector<ValueId>& values) const {
  std::vector<ValueType> types;
  types.reserve(values.size());
  for (const ValueId value : values) {
    ASSIGN_OR_RETURN(auto type, typeOf(operation, value));
    RETURN_IF_ERROR(staticBytes(type));
    types.push_back(std::move(type));
  }
  return types;
}

}  // namespace vintage::harness
