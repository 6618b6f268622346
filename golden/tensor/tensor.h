// A dense array in row-major order.
//
// A Tensor is a value: copies share one buffer, and a buffer that is shared is
// copied before it is written (mutableBytes). Reading from several threads is
// safe; writing needs a Tensor that no other thread touches. A Tensor that was
// moved from is a scalar predicate `false` again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/element_type.h"

namespace vintage::golden {

using Shape = std::vector<int64_t>;

// Product of the dimensions; 1 for a scalar. Dimensions must not be negative
// and the product must fit (otherwise the largest number comes back);
// checkedElementCount is for shapes from outside.
int64_t elementCount(std::span<const int64_t> shape);
// None where a dimension is negative or the product does not fit in 63 bits.
std::optional<int64_t> checkedElementCount(std::span<const int64_t> shape);

// The shared bytes behind a Tensor.
//
// One allocation holds the reference count and the data, because programs make
// very many tiny tensors. Data of 64 bytes and more starts at a cache line (and
// so suits every vector instruction); smaller data is aligned to 16 bytes,
// which is enough for any element.
class Buffer {
 public:
  enum class Fill { kZero, kNone };

  Buffer() = default;  // Empty: no data.
  // An empty Buffer comes back where memory is short. `size` may be 0.
  static Buffer allocate(size_t size, Fill fill);
  // Somebody else's memory: nothing here writes it, and `release` is called once nobody has it.
  static Buffer view(const std::byte* data, std::function<void()> release);

  Buffer(const Buffer& other) noexcept : block_(other.block_), data_(other.data_) { acquire(); }
  Buffer(Buffer&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)), data_(std::exchange(other.data_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Buffer() { release(); }

  explicit operator bool() const { return block_ != nullptr; }
  std::byte* data() const { return data_; }
  // Another Tensor holds it too, or it is a view. Acquire pairs with release(): the other holder
  // has finished reading.
  bool shared() const {
    return block_ && (block_->view || block_->holders.load(std::memory_order_acquire) > 1);
  }

 private:
  struct alignas(16) Block {
    std::atomic<size_t> holders{1};
    std::function<void()>* view = nullptr;  // Gives a view's memory back; owned.
  };
  void acquire() const noexcept {
    if (block_) block_->holders.fetch_add(1, std::memory_order_relaxed);
  }
  void release() noexcept {
    if (block_ && block_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) free(block_);
  }
  static void free(Block* block) noexcept;

  Block* block_ = nullptr;
  std::byte* data_ = nullptr;
};

class Tensor {
 public:
  Tensor() = default;  // A scalar predicate `false`.
  // Zero-filled. For shapes that the caller knows to be sane: ends the process
  // with a message where the size overflows or memory is short.
  Tensor(ElementType type, Shape shape);
  // The same with any content, for a caller that writes every element.
  static Tensor uninitialized(ElementType type, Shape shape);
  // Checks that the dimensions are not negative and that the bytes fit `limitBytes`. Use it for
  // every shape that comes from a program from outside.
  static Result<Tensor> make(ElementType type, Shape shape, size_t limitBytes = kDefaultLimit);
  static Result<Tensor> makeUninitialized(ElementType type, Shape shape,
                                          size_t limitBytes = kDefaultLimit);
  static constexpr size_t kDefaultLimit = size_t{1} << 34;

  // Copies `bytes`; their number must be elementCount * byteWidth.
  static Result<Tensor> fromBytes(ElementType type, Shape shape, std::span<const std::byte> bytes);
  // Reads `data` where it lies, at a multiple of kAlignment; writing copies it first. `release` is
  // called once, after the last copy of the Tensor is gone; not where the shape is an error.
  static Result<Tensor> view(ElementType type, Shape shape, const std::byte* data,
                             std::function<void()> release);
  static constexpr size_t kAlignment = 64;

  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor(Tensor&& other) noexcept
      : type_(std::exchange(other.type_, ElementType::kI1)),
        shape_(std::move(other.shape_)),
        count_(std::exchange(other.count_, 1)),
        buffer_(std::move(other.buffer_)) {}
  Tensor& operator=(Tensor&& other) noexcept {
    if (this == &other) return *this;
    type_ = std::exchange(other.type_, ElementType::kI1);
    shape_ = std::move(other.shape_);
    other.shape_.clear();
    count_ = std::exchange(other.count_, 1);
    buffer_ = std::move(other.buffer_);
    return *this;
  }

  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return count_; }  // elements
  bool has(ElementType type, const Shape& shape) const {
    if (type_ != type || shape_.size() != shape.size()) return false;
    for (size_t i = 0; i < shape.size(); ++i)
      if (shape_[i] != shape[i]) return false;
    return true;
  }

  // Aligned to kAlignment where there are as many, to 16 otherwise.
  std::span<const std::byte> bytes() const {
    if (!buffer_) return kZero;
    return {buffer_.data(), static_cast<size_t>(count_) * byteWidth(type_)};
  }
  std::span<std::byte> mutableBytes() {
    if (!unshared()) copyBuffer();
    return {buffer_.data(), static_cast<size_t>(count_) * byteWidth(type_)};
  }
  // Nobody else holds the buffer, so that mutableBytes() copies nothing.
  bool unshared() const { return buffer_ && !buffer_.shared(); }

  // The storage type T must have the byte width of type(); bf16, f16 and the
  // narrow floats are reached through golden/tensor/float_formats.h.
  template <typename T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes().data()), static_cast<size_t>(count_)};
  }
  template <typename T>
  std::span<T> mutableValues() {
    return {reinterpret_cast<T*>(mutableBytes().data()), static_cast<size_t>(count_)};
  }

  // The same buffer under another shape of as many elements.
  Result<Tensor> reshaped(Shape shape) const;

  // Same type, shape and bits.
  bool identical(const Tensor& other) const;

 private:
  static Result<Tensor> allocate(ElementType type, Shape shape, size_t limitBytes,
                                 Buffer::Fill fill);
  void copyBuffer();

  // The data of a Tensor without a buffer: only the default tensor has none.
  alignas(16) static constexpr std::byte kZero[1]{};

  ElementType type_ = ElementType::kI1;
  Shape shape_;
  int64_t count_ = 1;
  Buffer buffer_;  // Empty: all zero, which spares default tensors an allocation.
};

// "f32[2,3]" in JAX's manner, "?" for an unknown dimension; for messages.
std::string describe(ElementType type, std::span<const int64_t> shape);
inline std::string describe(const Tensor& tensor) {
  return describe(tensor.type(), tensor.shape());
}

}  // namespace vintage::golden
