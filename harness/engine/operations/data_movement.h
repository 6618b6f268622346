// Tensors made of the elements of others: the work behind the shape operations,
// static and dynamic. Numbers come from programs and are checked here; a
// message says what is wrong and the caller adds the operation.
#pragma once

#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// Dimension i of `tensor` becomes dimension dimensions[i] of `shape`; it is
// repeated where its size is 1.
Result<Tensor> broadcastTensor(const Tensor& tensor, const std::vector<int64_t>& dimensions,
                               const Shape& shape, size_t limitBytes);

// starts[i] + k * strides[i] below limits[i], in each dimension.
Result<Tensor> sliceTensor(const Tensor& tensor, const std::vector<int64_t>& starts,
                           const std::vector<int64_t>& limits,
                           const std::vector<int64_t>& strides);

// Edges may be negative (elements are cut off); `interior` stands between
// neighbours.
Result<Tensor> padTensor(const Tensor& tensor, const Tensor& padding,
                         const std::vector<int64_t>& low, const std::vector<int64_t>& high,
                         const std::vector<int64_t>& interior, size_t limitBytes);

Result<Tensor> transposeTensor(const Tensor& tensor, const std::vector<int64_t>& permutation);
Result<Tensor> reverseTensor(const Tensor& tensor, const std::vector<int64_t>& dimensions);
// At least one tensor; the same type and, but for `dimension`, shape.
Result<Tensor> concatenateTensors(std::span<const Tensor* const> tensors, int64_t dimension,
                                  size_t limitBytes);
Result<Tensor> iotaTensor(ElementType type, const Shape& shape, int64_t dimension,
                          size_t limitBytes);

// Starts are clamped so that the slice lies within the tensor.
Result<std::vector<int64_t>> clampedStarts(const Tensor& tensor,
                                           const std::vector<int64_t>& starts,
                                           const std::vector<int64_t>& sizes);
// Writes `update` over `target` from the clamped starts on.
Result<Tensor> updateSlice(Tensor target, const Tensor& update,
                           const std::vector<int64_t>& starts);

}  // namespace vintage::harness::engine
