// Turns one region into a FramePlan: a frame is what runs with slots of its own,
// a function's body or a region that a kernel calls.
#pragma once

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "harness/engine/planner.h"

namespace vintage::harness {

class FramePlanner {
 public:
  // Both must outlive the planner.
  FramePlanner(ModulePlanner& planner, const golden::Function& function)
      : planner_(planner), function_(function) {}

  // `captured` get the frame's first slots; `constants` are captured too.
  Result<FramePlan> plan(const golden::Region& region, const std::vector<golden::ValueId>& captured,
                         const std::vector<std::pair<golden::ValueId, Value>>& constants);

 private:
  struct BlockState {
    std::unordered_map<golden::ValueId, size_t> lastUse;  // Of values that this block defines.
    std::unordered_set<golden::ValueId> defined;
  };

  int32_t newSlot(golden::ValueId value);
  int32_t addConstant(Value value);
  Result<golden::ValueType> typeOf(const golden::Operation& operation, golden::ValueId value) const;
  Result<OperandPlace> place(const golden::Operation& operation, golden::ValueId value) const;
  Result<BlockPlan> planRegion(const golden::Region& region);
  // Which operation uses each value of the block last; the terminator included.
  static BlockState liveness(const golden::Block& block);
  Result<BlockPlan> planBlock(const golden::Block& block);
  Error described(const golden::Operation& operation, Error error) const;
  // Marks the operands that this step uses last, and what it makes useless.
  void addLiveness(const golden::Block& block, size_t index, const BlockState& state, Step& step);
  Status planConstant(const golden::Operation& operation);
  Result<std::vector<golden::ValueType>> typesOf(const golden::Operation& operation,
                                                 const std::vector<golden::ValueId>& values) const;
  bool optimizes() const { return planner_.mode() == ExecutionMode::kGraph; }

  Result<Step> planOperation(const golden::Operation& operation);
  Status planBody(const golden::Operation& operation,
                  std::span<const golden::ValueType> operandTypes, Step& step);
  // The region shares no values with what is around it.
  Status planManual(const golden::Operation& operation,
                    std::span<const golden::ValueType> operandTypes, Step& step);
  Status planCall(const golden::Operation& operation, std::string_view attribute, Step& step);
  Status planControlFlow(const golden::Operation& operation, Step::Kind kind, Step& step);
  Result<RegionPlan> planNestedRegion(const golden::Operation& operation,
                                      const golden::Region& region);
  Status planKernel(const golden::Operation& original,
                    std::span<const golden::ValueType> operandTypes, Step& step);

  ModulePlanner& planner_;
  const golden::Function& function_;
  FramePlan frame_;
  std::unordered_map<golden::ValueId, int32_t> slots_;
  std::unordered_map<golden::ValueId, int32_t> constants_;
};

}  // namespace vintage::harness
