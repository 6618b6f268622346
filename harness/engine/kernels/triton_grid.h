// A call of a Triton kernel over its grid.
//
// The programs of a grid may run in any order on a device. They run in several here, and a result
// that depends on the order is an error.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/module/triton_payload.h"
#include "harness/engine/custom_calls/registry.h"
#include "harness/engine/kernels/triton_run.h"

namespace vintage::harness {

struct TritonGrid {
  std::string name;
  TritonRun::Place grid;
  std::shared_ptr<const golden::ModuleTree> kernel;
  std::shared_ptr<const KernelProgram> program;
  const KernelFunction* function = nullptr;
  // The arrays among them are the operands of the call, then its results; those that overwrite an
  // operand only where there are as many.
  std::vector<golden::TritonPayload::Parameter> parameters;
  std::vector<golden::ValueType> results;
  // The operand that each result starts as; -1: the result is new.
  std::vector<int64_t> aliases;
  bool addsFloats = false;  // So that the order of the grid changes roundings.

  int64_t programs() const { return grid[0] * grid[1] * grid[2]; }
};

Result<RawResults> runTriton(const TritonGrid& call, std::span<const golden::Tensor> operands);

}  // namespace vintage::harness
