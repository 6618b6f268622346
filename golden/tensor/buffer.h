// The shared bytes behind a Tensor.
//
// One allocation holds the reference count and the data, because programs make
// very many tiny tensors. Data of 64 bytes and more starts at a cache line (and
// so suits every vector instruction); smaller data is aligned to 16 bytes,
// which is enough for any element.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

namespace vintage::golden {

class Buffer {
 public:
  enum class Fill { kZero, kNone };

  Buffer() = default;  // Empty: no data.
  // An empty Buffer comes back where memory is short. `size` may be 0.
  static Buffer allocate(size_t size, Fill fill);

  // What is copied or moved from a loan holds the data as any other does.
  Buffer(const Buffer& other) noexcept : block_(other.block_), data_(other.data_) { acquire(); }
  Buffer(Buffer&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), data_(std::exchange(other.data_, nullptr)) {
    if (std::exchange(other.borrowed_, false)) acquire();
  }
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(borrowed_, other.borrowed_);
    return *this;
  }
  ~Buffer() { release(); }

  // Becomes a loan of `owner`'s data: it does not count among the holders, which
  // spares two atomic operations, and may be read only while `owner` keeps the data.
  void borrow(const Buffer& owner) noexcept {
    release();
    block_ = owner.block_;
    data_ = owner.data_;
    borrowed_ = true;
  }

  explicit operator bool() const { return block_ != nullptr; }
  std::byte* data() const { return data_; }
  // Somebody else holds it too. Acquire pairs with release(): what the other holder
  // read is over.
  bool shared() const {
    return block_ && (borrowed_ || block_->holders.load(std::memory_order_acquire) > 1);
  }

 private:
  struct alignas(16) Block {
    std::atomic<size_t> holders{1};
  };
  void acquire() const noexcept {
    if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (block_ && !borrowed_ && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1)
      free(block_);
  }
  static void free(Block* block) noexcept;

  Block* block_ = nullptr;
  std::byte* data_ = nullptr;
  bool borrowed_ = false;
};

}  // namespace vintage::golden
