// The embedded engine: runs a StableHLO program on the CPU.
//
// A program is turned once into a flat plan of typed kernels, and the plan is
// run. Plans are immutable and may be run by several threads at once.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/program/module_tree.h"
#include "golden/result.h"
#include "golden/tensor/tensor.h"

namespace vintage {

enum class ExecutionMode {
  kGraph,  // The whole module as one plan.
  kEager,  // Each operation as a call of its own, as an eager framework would.
};

struct PlanOptions {
  ExecutionMode mode = ExecutionMode::kGraph;
  std::string entry = "main";
};

struct RunOptions {
  size_t memoryLimitBytes = size_t{8} << 30;  // Of live tensors.
  // Looked at between operations, and at each turn of a loop: a program that
  // goes on for longer is stopped with a kResource. None: it may run for ever.
  std::optional<std::chrono::milliseconds> timeLimit;
};

class Plan {
 public:
  struct Implementation;
  explicit Plan(std::shared_ptr<const Implementation> implementation);

  // Inputs are the arguments of the entry function, tokens left out; outputs
  // are its results, tokens left out and tuples flattened. A wrong number,
  // shape or type of inputs is a kBadInput that names the argument.
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs,
                                  const RunOptions& options) const;
  Result<std::vector<Tensor>> run(std::span<const Tensor> inputs) const {
    return run(inputs, RunOptions{});
  }

 private:
  std::shared_ptr<const Implementation> implementation_;
};

// kUnsupported names the operation or the custom-call target that this engine
// does not have.
Result<Plan> compile(const ModuleTree& module, const PlanOptions& options);

}  // namespace vintage
