// The memory of a kernel: arrays that remember which of their elements were written and which a
// copy is moving, so that a wrong access is an error and not a wrong number.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

class KernelMemory {
 public:
  enum class Content { kWritten, kUnwritten };

  // `name` stands in messages: "the window of argument 2".
  KernelMemory(std::string name, golden::Tensor tensor, Content content);

  const std::string& name() const { return name_; }
  const golden::Tensor& tensor() const { return tensor_; }
  // None where nothing wrote the element.
  std::span<const std::byte> bytesOf(int64_t element) const;

 private:
  friend struct MemoryView;
  friend class MemoryHold;

  std::string name_;
  golden::Tensor tensor_;
  // One for each element; empty where all were written.
  std::vector<uint8_t> written_;
  int64_t unwritten_ = 0;
  // How many copies in flight read and write each element; empty where there is none.
  std::vector<uint8_t> leaving_, arriving_;
  int64_t copies_ = 0;
};

// Part of a memory, under a shape of its own.
struct MemoryView {
  std::shared_ptr<KernelMemory> memory;
  int64_t offset = 0;  // In elements, as the strides.
  golden::Shape shape;
  std::vector<int64_t> strides;
  golden::ElementType type;  // Of as many bytes as that of the memory.

  static MemoryView whole(std::shared_ptr<KernelMemory> memory);

  // sizes[i] elements from starts[i] on, by strides; kBadInput where they do not lie within.
  Result<MemoryView> part(const std::vector<int64_t>& starts, const golden::Shape& sizes,
                          const std::vector<int64_t>& steps) const;
  // The same elements in another shape: without dimensions of one element, or, where they are
  // dense, of any shape.
  Result<MemoryView> reshaped(const golden::Shape& to) const;
  int64_t size() const { return golden::elementCount(shape); }

  // The elements as an array. An error where one was never written, or where a copy that nobody
  // waited for is writing it.
  Result<golden::Tensor> read() const;
  // The same whatever the elements are.
  Result<golden::Tensor> readAnything() const;
  // Writes those elements of `tensor` that `mask` has (null: all). An error where a copy is reading
  // or writing one.
  Status write(const golden::Tensor& tensor, const golden::Tensor* mask = nullptr) const;
  // Which elements were written: one byte for each, empty for all.
  std::vector<uint8_t> writtenElements() const;
};

// One end of a copy in flight: until it is released, nothing else may write its source, and nothing
// may touch its target.
class MemoryHold {
 public:
  enum class End { kSource, kTarget };
  static Result<MemoryHold> make(MemoryView view, End end);
  void release();

 private:
  MemoryHold(MemoryView view, End end) : view_(std::move(view)), end_(end) {}
  std::vector<uint8_t>& counts() const;

  MemoryView view_;
  End end_;
};
// The bytes of a copy. A DMA moves them when it starts, and holds both ends.
Status copyElements(const MemoryView& source, const MemoryView& target);

}  // namespace vintage::harness
