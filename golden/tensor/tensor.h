// A dense array in row-major order.
//
// A Tensor is a value: copies share one buffer, and a buffer that is shared is
// copied before it is written (mutableBytes). Reading from several threads is
// safe; writing needs a Tensor that no other thread touches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "golden/result.h"
#include "golden/tensor/element_type.h"

namespace vintage {

using Shape = std::vector<int64_t>;

// Product of the dimensions; 1 for a scalar. Dimensions must not be negative.
int64_t elementCount(std::span<const int64_t> shape);

class Tensor {
 public:
  Tensor();  // A scalar predicate `false`.
  // Zero-filled. Fails where the size overflows or memory is short: see make.
  Tensor(ElementType type, Shape shape);
  // Checks that the dimensions are not negative and that the bytes fit
  // `limitBytes`; what a program from outside asks for goes through here.
  static Result<Tensor> make(ElementType type, Shape shape,
                             size_t limitBytes = size_t{1} << 34);
  // Copies `bytes`; their number must be elementCount * byteWidth.
  static Result<Tensor> fromBytes(ElementType type, Shape shape,
                                  std::span<const std::byte> bytes);

  ElementType type() const { return type_; }
  const Shape& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return count_; }  // elements

  std::span<const std::byte> bytes() const;
  std::span<std::byte> mutableBytes();

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
  ElementType type_;
  Shape shape_;
  int64_t count_;
  std::shared_ptr<std::vector<std::byte>> buffer_;
};

// "f32[2,3]" in JAX's manner; for messages.
std::string describe(ElementType type, std::span<const int64_t> shape);
inline std::string describe(const Tensor& tensor) {
  return describe(tensor.type(), tensor.shape());
}

}  // namespace vintage
