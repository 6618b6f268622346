// The plan that the planner makes and the executor runs.
//
// Values live in the numbered slots of a frame. A function has one frame, which
// the blocks of its while, if and case operations share, so that what they use
// from outside costs nothing. A region that a kernel calls (the body of a
// reduce) has a frame of its own, and what it captures is copied into it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/engine/device_placement.h"
#include "harness/engine/engine.h"
#include "harness/engine/kernel.h"
#include "harness/engine/rounding.h"
#include "harness/engine/scalar_program.h"

namespace vintage::harness {

struct FramePlan;

// Where an operand comes from: slot `index`, or constant ~index where negative.
struct OperandPlace {
  int32_t index = 0;
  bool last = false;  // The slot is not used afterwards: the value is moved out.
};

struct Step;

struct BlockPlan {
  std::vector<int32_t> arguments;  // Slots.
  std::vector<Step> steps;
  std::vector<OperandPlace> results;
};

// A region that a kernel calls.
struct RegionPlan {
  std::shared_ptr<const FramePlan> frame;
  std::shared_ptr<const ScalarProgram> program;  // Null: not scalar code.
  std::string shortcut;
  std::vector<OperandPlace> captures;  // Of the calling frame.
};

// The request for a kernel that is made while the plan runs.
struct DeferredKernel {
  golden::Operation operation;
  std::vector<golden::ValueType> operandTypes;
  std::vector<RegionPlan> regions;
};

// interpreter.run_parallel: its operands and results are those of all processes
// in a row. sdy.manual_computation: they are split and joined by `placements`.
struct ParallelPlan {
  ProcessGrid grid;
  std::optional<Placements> placements;
  std::vector<std::shared_ptr<const FramePlan>> programs;  // One for each process.
  std::vector<std::shared_ptr<const FramePlan>> infeed;    // Functions without arguments.
};

struct Step {
  enum class Kind {
    kKernel,
    kDeferred,  // The kernel is made at each execution: captures, or eager mode.
    kCall,      // Another function: func.call, composite.
    kWhile,     // blocks: condition, body; their arguments are the same slots.
    kCase,      // blocks: branches; the last one is the default.
    kIf,        // blocks: true, false.
    kParallel,  // parallel: functions side by side.
    kSame,      // The result is the operand: a sharding annotation.
  };
  Kind kind = Kind::kKernel;
  std::string name;  // Of the operation.
  std::string location;
  bool shortcuts = true;  // Of a deferred kernel.
  bool mayAddUp = false;  // A kSame may ask for the sum of what devices hold.
  std::vector<OperandPlace> operands;
  std::vector<int32_t> results;
  std::vector<golden::ValueType> resultTypes;
  size_t staticResultBytes = 0;
  Rounding rounding;              // Of a kernel.
  std::vector<int32_t> releases;  // Slots that are not used after this step.
  Kernel kernel;
  std::shared_ptr<const DeferredKernel> deferred;
  std::shared_ptr<const FramePlan> callee;
  std::vector<BlockPlan> blocks;
  std::shared_ptr<const ParallelPlan> parallel;
};

struct FramePlan {
  int32_t slots = 0;
  std::vector<Value> constants;
  std::vector<int32_t> captures;  // Slots that the caller fills.
  BlockPlan block;
  // A run of this function executes at least as many operations, in what it calls too.
  uint64_t leastOperations = 0;
};

struct Plan::Implementation {
  bool roundsAtRandom = false;
  std::shared_ptr<const FramePlan> entry;
  std::string receiver;  // "@main"
  std::vector<golden::ValueType> argumentTypes;
};

// Makes the kernel of an operation from the tables, quantized types included.
// Without `shortcuts` regions are run as they are written.
Result<Kernel> makeKernel(const golden::Operation& operation,
                          std::span<const golden::ValueType> operandTypes,
                          std::span<const golden::ValueType> resultTypes,
                          std::span<const RegionPlan> regions,
                          std::span<const std::vector<Value>> captured, bool shortcuts);

Result<std::vector<Value>> runFrame(const FramePlan& frame, std::span<const Value> captured,
                                    std::vector<Value> arguments, const RunOptions& options);

// Values of these types from tensors in a row: a tuple takes several, a token
// none. A wrong number, shape or type is a kBadInput that names the tensor and
// its `receiver` ("@main").
Result<std::vector<Value>> bindInputs(std::span<const golden::ValueType> types,
                                      std::span<const golden::Tensor> inputs,
                                      const std::string& receiver);
// The tensors of values in a row: tuples flattened, tokens left out.
std::vector<golden::Tensor> outputsOf(std::vector<Value> values);
TensorRows rowsOf(std::vector<std::vector<Value>> processes);
std::vector<Value> valuesOf(std::vector<golden::Tensor> tensors);

// Bytes of a tensor of this type where all dimensions are known, the sum for a
// tuple, 0 where it is dynamic. An error where the size overflows.
Result<size_t> staticBytes(const golden::ValueType& type);

}  // namespace vintage::harness
