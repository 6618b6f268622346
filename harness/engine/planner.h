// Turns functions of the module tree, and regions, into FramePlans.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/engine/inlining.h"
#include "harness/engine/plan.h"

namespace vintage::harness {

// An error about one operation, which begins with its name.
template <typename... Args>
tl::unexpected<Error> malformed(const golden::Operation& operation,
                                fmt::format_string<Args...> text, Args&&... args) {
  return within(operation.name,
                Error{Error::Kind::kBadInput, fmt::format(text, std::forward<Args>(args)...)});
}

// Plans each function once, and finds recursion, which StableHLO does not have.
class ModulePlanner {
 public:
  // Both must outlive the planner.
  ModulePlanner(const golden::ModuleTree& module, const PlanOptions& options)
      : module_(module), options_(options), inliner_(module) {}

  Result<std::shared_ptr<const FramePlan>> planFunction(const std::string& name);

  // A function in the place of a region, for a kernel that calls it.
  Result<RegionPlan> planAsRegion(const std::string& name);

  // The functions that an interpreter.run_parallel names, and their grid.
  Result<std::shared_ptr<const ParallelPlan>> planParallel(
      const golden::Operation& operation, std::span<const golden::ValueType> operandTypes);
  // An sdy.manual_computation, or a kManualPart: `body`, its region, on each device. `local` are
  // the types of the region's arguments, `returned` those of its results.
  Result<std::shared_ptr<const ParallelPlan>> planManual(
      const golden::Operation& operation, FramePlan body,
      std::span<const golden::ValueType> operandTypes,
      std::span<const golden::ValueType> resultTypes, std::span<const golden::ValueType> local,
      std::span<const golden::ValueType> returned);
  // The operation as its kernel needs it, where that differs: with the mesh in the place of its
  // name, where its replica_groups are axes of a mesh of the module; with kDropsCutWindows.
  std::optional<golden::Operation> resolved(const golden::Operation& operation) const;

  // The number of cases and ifs around the present operation: it runs only where all choose it.
  int branches = 0;

  const golden::ModuleTree& module() const { return module_; }
  bool optimizes() const { return options_.mode == ExecutionMode::kGraph; }
  bool fuses() const { return optimizes() && !options_.roundsAtRandom; }

 private:
  const golden::ModuleTree& module_;
  const PlanOptions& options_;
  CallInliner inliner_;
  int depth_ = 0;  // Of calls being planned.
  // Null while the function is being planned.
  std::map<std::string, std::shared_ptr<const FramePlan>> planned_;
};

// How a block gets its arguments.
struct BlockArguments {
  std::span<const int32_t> slots{};  // None: new ones.
  bool areKept = false;              // No operation takes them: another block has them too.
};

// A frame is what runs with slots of its own, a function's body or a region that a kernel calls.
class FramePlanner {
 public:
  // Both must outlive the planner.
  FramePlanner(ModulePlanner& planner, const golden::Function& function, bool fuses = true)
      : planner_(planner), function_(function), fuses_(fuses && planner.fuses()) {}

  // `captured` get the frame's first slots; `constants` are captured too.
  Result<FramePlan> plan(const golden::Region& region, const std::vector<golden::ValueId>& captured,
                         const std::vector<std::pair<golden::ValueId, Value>>& constants);

 private:
  struct BlockState {
    std::unordered_map<golden::ValueId, size_t> lastUse;  // Only of values that it defines.
    std::unordered_set<golden::ValueId> defined;
  };

  int32_t newSlot(golden::ValueId value);
  int32_t addConstant(Value value);
  Result<golden::ValueType> typeOf(const golden::Operation& operation, golden::ValueId value) const;
  Result<OperandPlace> place(const golden::Operation& operation, golden::ValueId value) const;
  Result<BlockPlan> planRegion(const golden::Region& region, const BlockArguments& arguments = {});
  // Which operation uses each value of the block last; the terminator included.
  static BlockState liveness(std::span<const golden::ValueId> arguments,
                             std::span<const golden::Operation* const> operations);
  Result<BlockPlan> planBlock(const golden::Block& block, const BlockArguments& arguments);
  Result<BlockPlan> planOperations(std::span<const golden::ValueId> values,
                                   std::span<const golden::Operation* const> operations,
                                   const BlockArguments& arguments);
  Error described(const golden::Operation& operation, Error error) const;
  // Marks the operands that this step uses last, and what it makes useless.
  void addLiveness(const golden::Operation& operation, size_t index, const BlockState& state,
                   Step& step);
  Status planConstant(const golden::Operation& operation);
  Result<std::vector<golden::ValueType>> typesOf(const golden::Operation& operation,
                                                 const std::vector<golden::ValueId>& values) const;
  bool optimizes() const { return planner_.optimizes(); }

  Result<Step> planOperation(const golden::Operation& operation);
  Status planBody(const golden::Operation& operation,
                  std::span<const golden::ValueType> operandTypes, Step& step);
  // The region shares no values with what is around it.
  Status planManual(const golden::Operation& operation,
                    std::span<const golden::ValueType> operandTypes, Step& step);
  Status planFused(const golden::Operation& operation, Step& step);
  // Null where the region is no program over lanes.
  Result<Kernel> fusedKernelOf(const golden::Operation& operation, const Step& step);
  Status planCall(const golden::Operation& operation, std::string_view attribute, Step& step);
  Status planControlFlow(const golden::Operation& operation, Step::Kind kind, Step& step);
  Result<RegionPlan> planNestedRegion(const golden::Operation& operation,
                                      const golden::Region& region);
  Status planKernel(const golden::Operation& original,
                    std::span<const golden::ValueType> operandTypes, Step& step);

  ModulePlanner& planner_;
  const golden::Function& function_;
  bool fuses_;  // Elementwise operations, where they run one after the other.
  FramePlan frame_;
  std::unordered_map<golden::ValueId, int32_t> slots_;
  std::unordered_map<golden::ValueId, int32_t> constants_;
};

// Facts about a region that the planner needs before it plans it.

// The operands of an operation and what its regions capture.
std::vector<golden::ValueId> usesOf(const golden::Operation& operation);

// Values that `region` uses and does not define, each once, in order of use.
std::vector<golden::ValueId> capturedValues(const golden::Region& region);

// Deeper nesting is refused: planning and running recurse once for each level.
inline constexpr int kDeepestNesting = 200;
// Whether regions nest more than `levels` deep.
bool deeperThan(const golden::Region& region, int levels);

// The name of a region that computes one operation on its two arguments ("stablehlo.add"; a
// commutative one in either order), or "argument N". Empty for all others. Kernels have loops of
// their own for some.
std::string shortcutOf(const golden::Region& region);

// A manual part of a program without Shardy (JAX's shard_map up to 0.6). The custom call
// SPMDFullToShardShape splits a value and SPMDShardToFullShape joins it; the operations between
// them run on each device.
//
// No program has this operation: gatherManualParts makes it, and so may a caller of compile(). Its
// operands and results are whole values, and its region takes and returns their pieces.
// in_shardings and out_shardings are lists of HLO shardings as text; an empty one says that each
// device has a copy.
inline constexpr std::string_view kManualPart = "custom_call @SPMDFullToShardShape";

// Whether the operation is one of these calls.
bool isManualBoundary(const golden::Operation& operation);
// The block with each manual part as one operation; none where it has no such part.
std::optional<golden::Block> gatherManualParts(const golden::Block& block);

// The block with manual parts that neither take nor give tokens; none where no part does.
std::optional<golden::Block> dropTokensOfManualParts(const golden::Block& block,
                                                     const golden::Function& function);

}  // namespace vintage::harness
