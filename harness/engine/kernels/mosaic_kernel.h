// A Mosaic kernel, ready to run: its functions, and how its operands come to it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {

inline constexpr int64_t kDynamicBound = INT64_MIN;

// An operand or a result of the call that the kernel sees through a window, or whole.
struct MosaicOperand {
  golden::Shape window;  // Of the kernel's memory.
  bool isWhole = true;
  // The function that gives the place of the window at a step; its indices count windows, or
  // elements behind `padding`.
  const KernelFunction* transform = nullptr;
  bool countsElements = false;
  std::vector<int64_t> padding;
  golden::ElementType element = golden::ElementType::kF32;
  std::string space;  // "vmem", "smem", "any", …
};

class MosaicKernel {
 public:
  // `inputs` and `outputs` are those of the custom call; aliases[i] is the input that output i
  // overwrites, or -1.
  static Result<std::shared_ptr<const MosaicKernel>> make(
      golden::ModuleTree kernel, std::span<const golden::ValueType> inputs,
      std::span<const golden::ValueType> outputs, std::vector<int64_t> aliases);

  // On the device of this thread's process, with those of the others where the kernel communicates.
  // Parallel dimensions of the grid, and devices, run in two orders, and kBadInput names a result
  // that depends on them. kResource after so many operations.
  Result<std::vector<golden::Tensor>> run(
      std::span<const golden::Tensor> inputs,
      int64_t mostOperations = KernelRun::kMostOperations) const;

  const std::string& name() const { return main_->source->name; }

 private:
  friend class MosaicExecution;

  golden::ModuleTree kernel_;
  std::shared_ptr<const KernelProgram> program_;
  const KernelFunction* main_ = nullptr;
  std::vector<int64_t> bounds_;  // kDynamicBound: the next of the call's first operands.
  std::vector<bool> parallel_;   // Of each bound.
  bool communicates_ = false;
  size_t dynamicBounds_ = 0, prefetched_ = 0;
  std::vector<MosaicOperand> operands_;              // Inputs, then outputs.
  std::vector<golden::ValueType> scratch_;           // Memories that only the kernel sees.
  std::vector<golden::ValueType> inputs_, outputs_;  // Of the call.
  std::vector<int64_t> aliases_;
};

}  // namespace vintage::harness
