// A small straight-line frame with the memory of its runs.
//
// The executor's slots are filled and emptied at each run, which for tensors of a
// few elements costs more than the kernels do. Here every step keeps its operands
// and results from run to run: what a kernel gave is where the next run writes it
// again, and an operand is a loan of it (Tensor::borrow), so that a run neither
// allocates nor counts holders.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/engine/plan.h"

namespace vintage::harness {

// Used by one thread at a time.
class PreparedFrame {
 public:
  // Null where it would not pay or not work: the frame branches, loops, spans processes
  // or makes kernels as it runs; a value is no tensor of known shape; or all values
  // together take more than kMostBytes, which are kept between the runs.
  static std::unique_ptr<PreparedFrame> make(std::shared_ptr<const FramePlan> frame,
                                             std::span<const golden::ValueType> argumentTypes);
  static constexpr size_t kMostBytes = size_t{1} << 20;

  // Whether run() may be called so. Where not, the executor has to decide: inputs are
  // wrong, or the limit on memory may be too low.
  bool accepts(std::span<const golden::Tensor> inputs, const RunOptions& options) const;
  // Reads the inputs during the call only. The outputs stay until the next run.
  Result<std::span<const golden::Tensor>> run(std::span<const golden::Tensor> inputs,
                                              const RunOptions& options);

 private:
  // Where a value is after the step that computes it.
  struct Place {
    const std::vector<Value>* values = nullptr;
    size_t index = 0;
    const golden::ValueType* type = nullptr;  // Null: a constant, which has its type.
    const golden::Tensor& tensor() const { return (*values)[index].tensor; }
  };
  using MaybePlaces = std::optional<std::vector<Place>>;
  struct PreparedStep {
    const Step* step = nullptr;
    std::vector<const Step*> callers;  // Whose callee it belongs to; the outermost first.
    std::vector<Place> places;         // Of the operands.
    std::vector<Value> operands, results;
  };

  PreparedFrame() = default;
  // Adds the steps of the frame with its arguments at these places; the places of
  // its results come back. None where the frame cannot be prepared.
  MaybePlaces add(const FramePlan& frame, std::span<const Place> arguments);
  MaybePlaces addStep(const Step& step, std::vector<Place> operands);
  MaybePlaces addCall(const Step& step, std::span<const Place> operands);
  // All values have the types of the plan, so that a later loan is of the earlier's type.
  void borrow(const golden::Tensor& owner, golden::Tensor& loan) const {
    hasRun_ ? loan.borrowSame(owner) : loan.borrow(owner);
  }
  Status runSteps(const RunOptions& options);
  Status runStep(PreparedStep& prepared, const RunOptions& options);

  std::shared_ptr<const FramePlan> frame_;
  std::vector<golden::ValueType> argumentTypes_;
  std::vector<Value> arguments_;
  std::vector<const Step*> callers_;  // Of what is being added.
  std::deque<PreparedStep> steps_;    // Places point into them.
  std::vector<Place> results_;
  std::vector<golden::Tensor> outputs_;
  size_t bytes_ = 0;
  bool hasRun_ = false;  // To its end.
};

}  // namespace vintage::harness
