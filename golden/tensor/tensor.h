// A dense array in row-major order.
//
// A Tensor is a value: copies share one buffer, and a buffer that is shared is
// copied before it is written (mutableBytes). Reading from several threads is
// safe; writing needs a Tensor that no other thread touches. A Tensor that was
// moved from is a scalar predicate `false` again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/buffer.h"
#include "golden/tensor/element_type.h"
#include "golden/tensor/room.h"

namespace vintage::golden::tensor {

using Shape = std::vector<int64_t>;

// Product of the dimensions; 1 for a scalar. Dimensions must not be negative
// and the product must fit (otherwise the largest number comes back);
// checkedElementCount is for shapes from outside.
int64_t elementCount(std::span<const int64_t> shape);
// None where a dimension is negative or the product does not fit in 63 bits.
std::optional<int64_t> checkedElementCount(std::span<const int64_t> shape);

class Tensor {
 public:
  Tensor() = default;  // A scalar predicate `false`.
  // Zero-filled. For shapes that the caller knows to be sane: ends the process
  // with a message where the size overflows or memory is short.
  Tensor(ElementType type, Shape shape);
  // The same with any content, for a caller that writes every element.
  static Tensor uninitialized(ElementType type, Shape shape);
  // Checks that the dimensions are not negative and that the bytes fit
  // `limitBytes`; what a program from outside asks for goes through here.
  static Result<Tensor> make(ElementType type, Shape shape, size_t limitBytes = kDefaultLimit);
  static Result<Tensor> makeUninitialized(ElementType type, Shape shape,
                                          size_t limitBytes = kDefaultLimit);
  static constexpr size_t kDefaultLimit = size_t{1} << 34;

  // Copies `bytes`; their number must be elementCount * byteWidth.
  static Result<Tensor> fromBytes(ElementType type, Shape shape,
                                  std::span<const std::byte> bytes);

  Tensor(const Tensor&) = default;
  Tensor& operator=(const Tensor&) = default;
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;

  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return count_; }  // elements

  // Aligned to 64 bytes where there are as many, to 16 otherwise.
  std::span<const std::byte> bytes() const;
  std::span<std::byte> mutableBytes();
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

}  // namespace vintage::golden::tensor
