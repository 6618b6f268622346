// Turns one region into a FramePlan: a frame is what runs with slots of its own,
// a function's body or a region that a kernel calls.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/engine/planner.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

class FramePlanner {
 public:
  // Both must outlive the planner.
  FramePlanner(ModulePlanner& planner, const Function& function)
      : planner_(planner), function_(function) {}

  // `captured` get the frame's first slots; `constants` are captured too.
  Result<FramePlan> plan(const Region& region, const std::vector<ValueId>& captured,
                         const std::vector<std::pair<ValueId, Value>>& constants);

 private:
  struct BlockState {
    std::unordered_map<ValueId, size_t> lastUse;  // Of values that this block defines.
    std::unordered_set<ValueId> defined;
  };

  int32_t newSlot(ValueId value);
  int32_t addConstant(Value value);
  Result<ValueType> typeOf(const Operation& operation, ValueId value) const;
  Result<OperandPlace> place(const Operation& operation, ValueId value) const;
  Result<BlockPlan> planRegion(const Region& region);
  // Which operation uses each value of the block last; the terminator included.
  static BlockState liveness(const Block& block);
  Result<BlockPlan> planBlock(const Block& block);
  Error described(const Operation& operation, Error error) const;
  // Marks the operands that this step uses last, and what it makes useless.
  void addLiveness(const Block& block, size_t index, const BlockState& state, Step& step);
  Status planConstant(const Operation& operation);
  Result<std::vector<ValueType>> typesOf(const Operation& operation,
                                         const std::vector<ValueId>& values) const;
  bool optimizes() const { return planner_.mode() == ExecutionMode::kGraph; }

  Result<Step> planOperation(const Operation& operation);
  Status planBody(const Operation& operation, std::span<const ValueType> operandTypes,
                  Step& step);
  // The region shares no values with what is around it.
  Status planManual(const Operation& operation, std::span<const ValueType> operandTypes,
                    Step& step);
  Status planCall(const Operation& operation, std::string_view attribute, Step& step);
  Status planControlFlow(const Operation& operation, Step::Kind kind, Step& step);
  Result<RegionPlan> planNestedRegion(const Operation& operation, const Region& region);
  Status planKernel(const Operation& original, std::span<const ValueType> operandTypes,
                    Step& step);

  ModulePlanner& planner_;
  const Function& function_;
  FramePlan frame_;
  std::unordered_map<ValueId, int32_t> slots_;
  std::unordered_map<ValueId, int32_t> constants_;
};

}  // namespace vintage::harness::engine
