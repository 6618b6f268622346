// The state that the steps of a Triton kernel share: the memory behind its pointers, and the
// program of the grid that runs.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {

// Arrays at addresses of their own, far from each other, so that an address beyond an array is an
// error that names it.
class TritonMemory {
 public:
  // `isWritten`: its elements have values.
  void add(std::string name, golden::Tensor tensor, bool isWritten);
  size_t count() const { return arrays_.size(); }
  int64_t address(size_t array) const;  // Of its first element.
  const golden::Tensor& tensor(size_t array) const { return arrays_[array].tensor; }

  // The bytes at an address, to be read, or written, or both. kBadInput where they do not lie in an
  // array, or are read and nobody has written them.
  enum class Access { kRead, kWrite, kReadAndWrite };
  Result<std::byte*> at(int64_t address, size_t width, Access access);
  // None where the element was not written.
  std::span<const std::byte> bytesOf(size_t array, int64_t element) const;
  // kBadInput where an element of the array was never written.
  Status checkWritten(size_t array) const;

 private:
  struct Array {
    std::string name;
    golden::Tensor tensor;
    std::vector<bool> written;  // By byte; empty: all.
  };
  std::vector<Array> arrays_;
};

struct TritonRun : KernelRun {
  using Place = std::array<int64_t, 3>;
  explicit TritonRun(Place grid) : grid(grid) {}

  TritonMemory memory;
  const Place grid;
  Place program{};
};

// The tables of Triton's dialect.
StepTable tritonSteps();
StepTable tritonMathSteps();
StepTable tritonFoldSteps();
StepTable tritonMemorySteps();

// Gives the values in the regions of tt.reduce and tt.scan the shape of a slice, so that one call
// of a region combines whole slices.
void combineSlices(golden::ModuleTree& kernel);

// The type that the pointers in "tensor<64x!tt.ptr<f32>>" point to.
Result<golden::ElementType> pointedTo(const golden::ValueType& type);

}  // namespace vintage::harness
