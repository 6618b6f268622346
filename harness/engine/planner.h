// Turns a function of the module tree into a FramePlan.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/engine/plan.h"

namespace vintage::harness {

// An error about one operation, which begins with its name.
tl::unexpected<Error> malformed(const golden::Operation& operation, std::string_view what);

// Plans each function once, and finds recursion, which StableHLO does not have.
class ModulePlanner {
 public:
  ModulePlanner(const golden::ModuleTree& module, ExecutionMode mode)
      : module_(module), mode_(mode) {}

  Result<std::shared_ptr<const FramePlan>> planFunction(const std::string& name);

  // A function in the place of a region, for a kernel that calls it.
  Result<RegionPlan> planAsRegion(const std::string& name);

  // The functions that an interpreter.run_parallel names, and their grid.
  Result<std::shared_ptr<const ParallelPlan>> planParallel(
      const golden::Operation& operation, std::span<const golden::ValueType> operandTypes);
  // An sdy.manual_computation, or a manual part of before Shardy: `body`, its
  // region, on each device. `local` are the types of the region's arguments,
  // `returned` of its results.
  Result<std::shared_ptr<const ParallelPlan>> planManual(
      const golden::Operation& operation, FramePlan body,
      std::span<const golden::ValueType> operandTypes,
      std::span<const golden::ValueType> resultTypes, std::span<const golden::ValueType> local,
      std::span<const golden::ValueType> returned);
  // The operation with the mesh in the place of its name, where its
  // replica_groups are axes of a mesh of the module; none otherwise.
  std::optional<golden::Operation> withMesh(const golden::Operation& operation) const;

  // Whether what is planned runs only where a case or an if chooses it.
  void enterBranch() { ++branches_; }
  void leaveBranch() { --branches_; }
  bool insideBranch() const { return branches_ > 0; }

  const golden::ModuleTree& module() const { return module_; }
  ExecutionMode mode() const { return mode_; }

 private:
  const golden::ModuleTree& module_;
  ExecutionMode mode_;
  int depth_ = 0;  // Of calls being planned.
  int branches_ = 0;
  // Null while the function is being planned.
  std::map<std::string, std::shared_ptr<const FramePlan>> planned_;
};

}  // namespace vintage::harness
