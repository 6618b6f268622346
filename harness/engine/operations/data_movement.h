// Tensors made of the elements of others: the work behind the shape operations,
// static and dynamic. Numbers come from programs and are checked here; a
// message says what is wrong and the caller adds the operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

// Dimension i of `tensor` becomes dimension dimensions[i] of `shape`; it is
// repeated where its size is 1.
Result<golden::Tensor> broadcastTensor(const golden::Tensor& tensor,
                                       const std::vector<int64_t>& dimensions,
                                       const golden::Shape& shape, size_t limitBytes);

// The strides by which an array of `shape` reads a dense one of `operand`, as broadcastTensor does:
// 0 along what is repeated. The type is for messages.
Result<std::vector<int64_t>> broadcastStrides(golden::ElementType type,
                                              const golden::Shape& operand,
                                              const std::vector<int64_t>& dimensions,
                                              const golden::Shape& shape);

// starts[i] + k * strides[i] below limits[i], in each dimension.
Result<golden::Tensor> sliceTensor(const golden::Tensor& tensor, const std::vector<int64_t>& starts,
                                   const std::vector<int64_t>& limits,
                                   const std::vector<int64_t>& strides);
// [start, limit) of one dimension.
Result<golden::Tensor> sliceDimension(const golden::Tensor& tensor, int64_t dimension,
                                      int64_t start, int64_t limit);
// The same elements without a dimension of one element, and with one more at this place.
Result<golden::Tensor> withoutDimension(const golden::Tensor& tensor, int64_t dimension);
Result<golden::Tensor> withDimension(const golden::Tensor& tensor, int64_t dimension);

// Edges may be negative (elements are cut off); `interior` stands between
// neighbours.
Result<golden::Tensor> padTensor(const golden::Tensor& tensor, const golden::Tensor& padding,
                                 const std::vector<int64_t>& low, const std::vector<int64_t>& high,
                                 const std::vector<int64_t>& interior, size_t limitBytes);

Result<golden::Tensor> transposeTensor(const golden::Tensor& tensor,
                                       const std::vector<int64_t>& permutation);
Result<golden::Tensor> reverseTensor(const golden::Tensor& tensor,
                                     const std::vector<int64_t>& dimensions);
// At least one tensor; the same type and, but for `dimension`, shape.
Result<golden::Tensor> concatenateTensors(std::span<const golden::Tensor* const> tensors,
                                          int64_t dimension, size_t limitBytes);
Result<golden::Tensor> iotaTensor(golden::ElementType type, const golden::Shape& shape,
                                  int64_t dimension, size_t limitBytes);

// Starts are clamped so that the slice lies within the tensor.
Result<std::vector<int64_t>> clampedStarts(const golden::Tensor& tensor,
                                           const std::vector<int64_t>& starts,
                                           const std::vector<int64_t>& sizes);
// Writes `update` over `target` from the clamped starts on.
Result<golden::Tensor> updateSlice(golden::Tensor target, const golden::Tensor& update,
                                   const std::vector<int64_t>& starts);

// Copies of N-dimensional arrays with any strides: what transposing, slicing,
// broadcasting, reversing, padding and concatenating have in common.

// A view of elements: `data` is the element at index 0 of every dimension;
// strides are in elements and may be 0 or negative.
struct StridedSource {
  const std::byte* data;
  std::vector<int64_t> strides;
};
struct StridedTarget {
  std::byte* data;
  std::vector<int64_t> strides;
};

// Copies `shape` elements of `width` bytes. Source and target do not overlap.
void stridedCopy(std::span<const int64_t> shape, size_t width, StridedSource source,
                 StridedTarget target);

// Fills `result` with the elements of `source` from `first` on by these strides.
void copyStrided(const golden::Tensor& source, int64_t first, std::vector<int64_t> strides,
                 golden::Tensor& result);

// Lists of dimensions, sizes and strides.

// Whether the dimension is among those of a list.
bool hasDimension(std::span<const int64_t> dimensions, int64_t dimension);
// Whether the values are 0 … count - 1, each once.
bool isPermutation(std::span<const int64_t> values, int64_t count);
// One after the other.
std::vector<int64_t> joined(std::vector<int64_t> a, std::span<const int64_t> b,
                            std::span<const int64_t> c = {});
// The values at these places.
std::vector<int64_t> chosen(std::span<const int64_t> values, std::span<const int64_t> places);
inline int64_t offsetOf(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
  return offset;
}

// In elements; those of a dense row-major array.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape);

// Fills with copies of one element.
void fill(std::span<std::byte> bytes, std::span<const std::byte> element);

// Steps through all indices of `shape` in row-major order; false after the last.
bool nextIndex(std::span<const int64_t> shape, std::span<int64_t> index);

}  // namespace vintage::harness
