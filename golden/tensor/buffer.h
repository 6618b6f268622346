// The shared bytes behind a Tensor.
//
// One allocation holds the reference count and the data, because programs make
// very many tiny tensors. Data of 64 bytes and more starts at a cache line (and
// so suits every vector instruction); smaller data is aligned to 16 bytes,
// which is enough for any element.
#pragma once

#include <cstddef>
#include <utility>

#include "golden/tensor/room.h"

namespace vintage::golden::tensor {

class Buffer {
 public:
  enum class Fill { kZero, kNone };

  Buffer() = default;  // Empty: no data.
  // An empty Buffer comes back where memory is short. `size` may be 0.
  static Buffer allocate(size_t size, Fill fill);

  Buffer(const Buffer& other) : block_(other.block_), data_(other.data_) { acquire(); }
  Buffer(Buffer&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Buffer() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  std::byte* data() const { return data_; }
  bool shared() const;  // Somebody else holds it too.

 private:
  struct Block;
  void acquire() const;
  void release();

  Block* block_ = nullptr;
  std::byte* data_ = nullptr;
};

}  // namespace vintage::golden::tensor
