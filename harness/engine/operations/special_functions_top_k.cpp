#include "harness/engine/operations/special_functions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"

namespace vintage::harness {
using namespace golden;

namespace {

// A signed integer that orders like the value.
template <typename S>
int64_t orderKey(const S& value) {
  if constexpr (std::is_same_v<S, double>) {
    const auto bits = std::bit_cast<int64_t>(value);
    return bits < 0 ? bits ^ std::numeric_limits<int64_t>::max() : bits;
  } else if constexpr (kIsFloatStorage<S>) {
    const auto bits = std::bit_cast<int32_t>(static_cast<float>(value));
    return bits < 0 ? bits ^ std::numeric_limits<int32_t>::max() : bits;
  } else if constexpr (std::is_same_v<S, uint64_t>) {
    return static_cast<int64_t>(value ^ (uint64_t{1} << 63));
  } else {
    return static_cast<int64_t>(static_cast<Computation<S>>(value));
  }
}

template <typename S>
void fillPositions(const Tensor& operand, const TopK& topK, int64_t stride, Tensor& positions) {
  const auto values = operand.values<S>();
  int32_t* out = positions.mutableValues<int32_t>().data();
  const int64_t size = operand.shape()[topK.dimension];
  const int64_t outer = size == 0 ? 0 : operand.size() / (size * stride);
  std::vector<int64_t> keys(size);
  std::vector<int32_t> order(size);
  for (int64_t line = 0; line < outer * stride; ++line) {
    const int64_t first = line / stride * size * stride + line % stride;
    for (int64_t i = 0; i < size; ++i) {
      // ~ reverses the order without overflow.
      const int64_t key = orderKey<S>(values[first + i * stride]);
      keys[i] = topK.largest ? ~key : key;
    }
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(
        order.begin(), order.begin() + topK.count, order.end(),
        [&](int32_t a, int32_t b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
    const int64_t target = line / stride * topK.count * stride + line % stride;
    for (int64_t i = 0; i < topK.count; ++i) out[target + i * stride] = order[i];
  }
}

int64_t strideOf(const Shape& shape, int64_t dimension) {
  int64_t stride = 1;
  for (size_t i = dimension + 1; i < shape.size(); ++i) stride *= shape[i];
  return stride;
}

}  // namespace

Result<Tensor> topKPositions(const Tensor& operand, const TopK& topK) {
  const bool inRange = topK.dimension >= 0 && topK.dimension < operand.rank();
  if (!inRange || isComplex(operand.type()) || topK.count < 0 ||
      topK.count > operand.shape()[topK.dimension] ||
      operand.shape()[topK.dimension] > std::numeric_limits<int32_t>::max()) {
    return badInput(
        "The {} best of {} along dimension {} do not exist: between 0 and "
        "the dimension's size of a real operand are needed.",
        topK.count, describe(operand), topK.dimension);
  }
  Shape shape = operand.shape();
  shape[topK.dimension] = topK.count;
  auto positions = Tensor::makeUninitialized(ElementType::kI32, std::move(shape));
  if (!positions || positions->size() == 0) return positions;
  visitElementType(operand.type(), [&]<typename S>() {
    if constexpr (!kIsComplexStorage<S>) {
      fillPositions<S>(operand, topK, strideOf(operand.shape(), topK.dimension), *positions);
    }
  });
  return positions;
}

Result<Tensor> takeAtPositions(const Tensor& operand, const Tensor& positions, int64_t dimension) {
  auto result = Tensor::makeUninitialized(operand.type(), positions.shape());
  if (!result || result->size() == 0) return result;
  const size_t width = byteWidth(operand.type());
  const int64_t stride = strideOf(operand.shape(), dimension);
  const int64_t size = operand.shape()[dimension], count = positions.shape()[dimension];
  const auto places = positions.values<int32_t>();
  const std::byte* from = operand.bytes().data();
  std::byte* to = result->mutableBytes().data();
  for (int64_t i = 0; i < positions.size(); ++i) {
    const int64_t outer = i / (count * stride), inner = i % stride;
    const int64_t source = (outer * size + places[i]) * stride + inner;
    std::memcpy(to + i * width, from + source * width, width);
  }
  return result;
}

}  // namespace vintage::harness
