#include "harness/engine/operations/data_movement.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {
using namespace golden;

namespace {

Status checkRank(std::string_view what, const std::vector<int64_t>& values, int64_t rank) {
  if (std::ssize(values) == rank) return {};
  return badInput("{} has {} entries; the rank is {}", what, values.size(), rank);
}

}  // namespace

Result<std::vector<int64_t>> broadcastStrides(ElementType type, const Shape& operand,
                                              const std::vector<int64_t>& dimensions,
                                              const Shape& shape) {
  RETURN_IF_ERROR(checkRank("broadcast_dimensions", dimensions, std::ssize(operand)));
  RETURN_IF_ERROR(
      checkDimensions("broadcast", "broadcast_dimensions", dimensions, std::ssize(shape)));
  const std::vector<int64_t> own = rowMajorStrides(operand);
  std::vector<int64_t> strides(shape.size());
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto target = static_cast<size_t>(dimensions[i]);
    if (operand[i] == shape[target])
      strides[target] = own[i];
    else if (operand[i] != 1)
      return badInput("dimension {} of {} cannot become {} elements", i, describe(type, operand),
                      shape[target]);
  }
  return strides;
}

Result<Tensor> broadcastTensor(const Tensor& tensor, const std::vector<int64_t>& dimensions,
                               const Shape& shape, size_t limitBytes) {
  ASSIGN_OR_RETURN(auto strides,
                   broadcastStrides(tensor.type(), tensor.shape(), dimensions, shape));
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(tensor.type(), shape, limitBytes));
  copyStrided(tensor, 0, std::move(strides), result);
  return result;
}

Result<Tensor> sliceTensor(const Tensor& tensor, const std::vector<int64_t>& starts,
                           const std::vector<int64_t>& limits,
                           const std::vector<int64_t>& strides) {
  for (const auto& [what, values] :
       {std::pair{"start_indices", &starts}, std::pair{"limit_indices", &limits},
        std::pair{"strides", &strides}})
    RETURN_IF_ERROR(checkRank(what, *values, tensor.rank()));
  Shape shape(starts.size());
  const std::vector<int64_t> own = rowMajorStrides(tensor.shape());
  std::vector<int64_t> steps(starts.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    if (starts[i] < 0 || limits[i] < starts[i] || limits[i] > tensor.shape()[i] || strides[i] < 1)
      return badInput("[{}:{}:{}] is no slice of dimension {} of {}", starts[i], limits[i],
                      strides[i], i, describe(tensor));
    shape[i] = (limits[i] - starts[i]) / strides[i] + ((limits[i] - starts[i]) % strides[i] != 0);
    // One element has no next one: a huge stride must not overflow.
    steps[i] = shape[i] > 1 ? own[i] * strides[i] : 0;
  }
  Tensor result = Tensor::uninitialized(tensor.type(), shape);
  copyStrided(tensor, offsetOf(starts, own), std::move(steps), result);
  return result;
}

Result<Tensor> sliceDimension(const Tensor& tensor, int64_t dimension, int64_t start,
                              int64_t limit) {
  RETURN_IF_ERROR(checkDimensions("slice", "dimension", {dimension}, tensor.rank()));
  std::vector<int64_t> starts(tensor.shape().size(), 0), limits = tensor.shape();
  starts[static_cast<size_t>(dimension)] = start;
  limits[static_cast<size_t>(dimension)] = limit;
  return sliceTensor(tensor, starts, limits, std::vector<int64_t>(starts.size(), 1));
}

Result<Tensor> withoutDimension(const Tensor& tensor, int64_t dimension) {
  Shape shape = tensor.shape();
  shape.erase(shape.begin() + dimension);
  return tensor.reshaped(std::move(shape));
}

Result<Tensor> withDimension(const Tensor& tensor, int64_t dimension) {
  Shape shape = tensor.shape();
  shape.insert(shape.begin() + std::min(dimension, tensor.rank()), 1);
  return tensor.reshaped(std::move(shape));
}

Result<Tensor> padTensor(const Tensor& tensor, const Tensor& padding,
                         const std::vector<int64_t>& low, const std::vector<int64_t>& high,
                         const std::vector<int64_t>& interior, size_t limitBytes) {
  for (const auto& [what, values] :
       {std::pair{"edge_padding_low", &low}, std::pair{"edge_padding_high", &high},
        std::pair{"interior_padding", &interior}})
    RETURN_IF_ERROR(checkRank(what, *values, tensor.rank()));
  if (padding.type() != tensor.type() || padding.size() != 1)
    return badInput("the padding is {}; a scalar of the type of {} is needed", describe(padding),
                    describe(tensor));
  constexpr int64_t kFarthest = int64_t{1} << 48;
  Shape shape(low.size()), count(low.size());
  std::vector<int64_t> first(low.size()), start(low.size());
  for (size_t i = 0; i < low.size(); ++i) {
    const int64_t size = tensor.shape()[i];
    const __int128 step = __int128{interior[i]} + 1;
    const __int128 total =
        __int128{low[i]} + high[i] + size + (size > 0 ? __int128{size - 1} * interior[i] : 0);
    if (interior[i] < 0 || total < 0 || total > kFarthest || low[i] > kFarthest ||
        low[i] < -kFarthest || step > kFarthest)
      return badInput(
          "padding {} before, {} after and {} between is not possible for "
          "dimension {} of {}",
          low[i], high[i], interior[i], i, describe(tensor));
    shape[i] = static_cast<int64_t>(total);
    // Which elements stay: 0 <= low + k * step < total.
    const auto stride = static_cast<int64_t>(step);
    first[i] = low[i] < 0 ? (-low[i] + stride - 1) / stride : 0;
    const int64_t end =
        shape[i] <= low[i] ? 0 : (shape[i] - low[i] + stride - 1) / stride;  // Exclusive.
    count[i] = std::max<int64_t>(0, std::min(size, end) - first[i]);
    start[i] = low[i] + first[i] * stride;
  }
  auto result = Tensor::makeUninitialized(tensor.type(), shape, limitBytes);
  if (!result || result->size() == 0) return result;
  fill(result->mutableBytes(), padding.bytes());
  if (std::ranges::find(count, 0) != count.end()) return result;
  const std::vector<int64_t> sourceStrides = rowMajorStrides(tensor.shape());
  const std::vector<int64_t> dense = rowMajorStrides(shape);
  std::vector<int64_t> targetStrides(dense.size());
  for (size_t i = 0; i < dense.size(); ++i)
    targetStrides[i] = count[i] > 1 ? dense[i] * (interior[i] + 1) : 0;
  const size_t width = byteWidth(tensor.type());
  const auto at = [width](auto* data, int64_t element) {
    return data + static_cast<size_t>(element) * width;
  };
  stridedCopy(count, width,
              {at(tensor.bytes().data(), offsetOf(first, sourceStrides)), sourceStrides},
              {at(result->mutableBytes().data(), offsetOf(start, dense)), targetStrides});
  return result;
}

Result<Tensor> transposeTensor(const Tensor& tensor, const std::vector<int64_t>& permutation) {
  RETURN_IF_ERROR(checkRank("permutation", permutation, tensor.rank()));
  RETURN_IF_ERROR(checkDimensions("transpose", "permutation", permutation, tensor.rank()));
  Tensor result = Tensor::uninitialized(tensor.type(), chosen(tensor.shape(), permutation));
  copyStrided(tensor, 0, chosen(rowMajorStrides(tensor.shape()), permutation), result);
  return result;
}

Result<Tensor> reverseTensor(const Tensor& tensor, const std::vector<int64_t>& dimensions) {
  RETURN_IF_ERROR(checkDimensions("reverse", "dimensions", dimensions, tensor.rank()));
  Tensor result = Tensor::uninitialized(tensor.type(), tensor.shape());
  std::vector<int64_t> strides = rowMajorStrides(tensor.shape());
  int64_t first = 0;
  for (const int64_t dimension : dimensions) {
    const auto i = static_cast<size_t>(dimension);
    first += (tensor.shape()[i] - 1) * strides[i];
    strides[i] = -strides[i];
  }
  copyStrided(tensor, first, std::move(strides), result);
  return result;
}

Result<Tensor> concatenateTensors(std::span<const Tensor* const> tensors, int64_t dimension,
                                  size_t limitBytes) {
  if (tensors.empty()) return badInput("there is nothing to concatenate");
  Shape shape = tensors[0]->shape();
  if (dimension < 0 || dimension >= tensors[0]->rank())
    return badInput("{} has no dimension {}", describe(*tensors[0]), dimension);
  const auto axis = static_cast<size_t>(dimension);
  int64_t total = 0;
  for (const Tensor* tensor : tensors) {
    Shape other = tensor->shape();
    if (other.size() == shape.size()) other[axis] = shape[axis];
    if (other != shape || tensor->type() != tensors[0]->type())
      return badInput("{} and {} do not fit together along dimension {}", describe(*tensors[0]),
                      describe(*tensor), dimension);
    if (__builtin_add_overflow(total, tensor->shape()[axis], &total))
      return badInput("the result has more elements than can be counted");
  }
  shape[axis] = total;
  ASSIGN_OR_RETURN(auto result, Tensor::makeUninitialized(tensors[0]->type(), shape, limitBytes));
  const size_t width = byteWidth(result.type());
  const std::vector<int64_t> strides = rowMajorStrides(shape);
  std::byte* target = result.mutableBytes().data();
  for (const Tensor* tensor : tensors) {
    stridedCopy(tensor->shape(), width, {tensor->bytes().data(), rowMajorStrides(tensor->shape())},
                {target, strides});
    target += static_cast<size_t>(tensor->shape()[axis] * strides[axis]) * width;
  }
  return result;
}

Result<Tensor> iotaTensor(ElementType type, const Shape& shape, int64_t dimension,
                          size_t limitBytes) {
  if (dimension < 0 || dimension >= std::ssize(shape))
    return badInput("iota_dimension is {} and the rank {}", dimension, shape.size());
  // Refused before work is done for a part of it.
  RETURN_IF_ERROR(Tensor::makeUninitialized(type, shape, limitBytes));
  ASSIGN_OR_RETURN(auto counted, Tensor::makeUninitialized(
                                     type, {shape[static_cast<size_t>(dimension)]}, limitBytes));
  visitElementType(type, [&]<typename T>() {
    int64_t next = 0;
    for (T& value : counted.mutableValues<T>()) {
      if constexpr (kIsComplexStorage<T>)
        value = T(static_cast<typename T::value_type>(next));
      else
        value = static_cast<T>(next);
      ++next;
    }
  });
  return broadcastTensor(counted, {dimension}, shape, limitBytes);
}

Result<std::vector<int64_t>> clampedStarts(const Tensor& tensor, const std::vector<int64_t>& starts,
                                           const std::vector<int64_t>& sizes) {
  RETURN_IF_ERROR(checkRank("start_indices", starts, tensor.rank()));
  RETURN_IF_ERROR(checkRank("slice_sizes", sizes, tensor.rank()));
  std::vector<int64_t> clamped(starts.size());
  for (size_t i = 0; i < starts.size(); ++i) {
    const int64_t size = tensor.shape()[i];
    if (sizes[i] < 0 || sizes[i] > size)
      return badInput("a slice of {} elements does not fit dimension {} of {}", sizes[i], i,
                      describe(tensor));
    clamped[i] = std::clamp<int64_t>(starts[i], 0, size - sizes[i]);
  }
  return clamped;
}

Result<Tensor> updateSlice(Tensor target, const Tensor& update,
                           const std::vector<int64_t>& starts) {
  if (update.type() != target.type())
    return badInput("{} cannot be written over {}", describe(update), describe(target));
  ASSIGN_OR_RETURN(auto clamped, clampedStarts(target, starts, update.shape()));
  if (update.size() == 0) return target;
  const std::vector<int64_t> strides = rowMajorStrides(target.shape());
  const size_t width = byteWidth(target.type());
  std::byte* first =
      target.mutableBytes().data() + static_cast<size_t>(offsetOf(clamped, strides)) * width;
  stridedCopy(update.shape(), width, {update.bytes().data(), rowMajorStrides(update.shape())},
              {first, strides});
  return target;
}

}  // namespace vintage::harness
