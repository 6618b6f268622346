// The parts of its operands that a kernel sees at each step of its grid.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/engine/kernels/mosaic_kernel.h"
#include "harness/engine/kernels/mosaic_run.h"

namespace vintage::harness {

// The windows of one operand, one after the other. A TPU fetches the next one and writes the last
// one back while the kernel runs; here that happens between two steps, when the place changes.
class OperandWindows {
 public:
  static Result<OperandWindows> make(const MosaicOperand& operand,
                                     std::shared_ptr<KernelMemory> array, bool isOutput);

  // The window at the step with these indices.
  Result<MemoryView> at(const KernelValues& indices, const KernelValues& prefetched,
                        MosaicRun& run);
  // The memory that the kernel sees at present: the window, or the whole array.
  const std::shared_ptr<KernelMemory>& memory() const {
    return operand_->isWhole ? array_ : window_;
  }
  // The bytes of an element of the array; none where the kernel does not see it, or has not
  // written it.
  std::span<const std::byte> bytesOf(int64_t element) const;
  // Moves the elements that the kernel wrote to a result's present window to the result.
  Status writeBack();

 private:
  // The parts of the array and of the window that are the same elements.
  struct Overlap {
    MemoryView array, window;
  };
  Result<Overlap> overlap() const;
  Result<std::vector<int64_t>> place(const KernelValues& indices, const KernelValues& prefetched,
                                     MosaicRun& run) const;

  const MosaicOperand* operand_ = nullptr;
  std::shared_ptr<KernelMemory> array_;
  bool isOutput_ = false;
  std::optional<std::vector<int64_t>> starts_;  // Of the present window; may be negative.
  std::shared_ptr<KernelMemory> window_;
};

// As MLIR's integers are.
Result<golden::Tensor> signless(golden::Tensor tensor);
// The content of memory that nothing has written: NaN, or the lowest integer.
Result<golden::Tensor> unwrittenTensor(golden::ElementType type, const golden::Shape& shape);
// A memory of a kernel's own, of the type of its argument; semaphores stand at 0.
Result<KernelValue> scratchMemory(const golden::ValueType& type, std::string_view which);
golden::Tensor indexTensor(int64_t index);
// The next indices, the last dimension the fastest.
void nextStep(const std::vector<int64_t>& bounds, std::vector<int64_t>& step);

}  // namespace vintage::harness
