#include "harness/engine/operations/indexed_windows.h"

#include <algorithm>
#include <tuple>

#include "golden/base/failures.h"
#include "golden/tensor/visit.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/operations/arithmetic.h"
#include "harness/engine/operations/data_movement.h"
#include "harness/engine/operations/processors.h"

namespace vintage::harness {
using namespace golden;

namespace {

std::vector<int64_t> others(int64_t rank, const std::vector<int64_t>& named) {
  std::vector<int64_t> rest;
  for (int64_t i = 0; i < rank; ++i)
    if (!hasDimension(named, i)) rest.push_back(i);
  return rest;
}

// Where the windows of a row start in one dimension. kStep: 1, or 0 where `step` says it.
template <typename T, int64_t kStep>
struct Indices {
  const T* first;
  int64_t step;
  int64_t at(int64_t k) const { return saturated(first[k * (kStep == 0 ? step : kStep)]); }
};
struct Numbers {
  int64_t first, step;
  int64_t at(int64_t k) const { return first + k * step; }
};

template <typename Starts>
[[gnu::always_inline]] inline void addClamped(Starts starts, int64_t most, int64_t stride,
                                              int64_t* offsets, size_t count) {
#pragma clang loop vectorize(assume_safety)
  for (size_t k = 0; k < count; ++k)
    offsets[k] += std::clamp<int64_t>(starts.at(static_cast<int64_t>(k)), 0, most) * stride;
}
template <typename Starts>
[[gnu::always_inline]] inline void addInside(Starts starts, int64_t most, int64_t stride,
                                             int64_t* offsets, size_t count) {
  constexpr int64_t kOutside = IndexedWindows::kOutside;
#pragma clang loop vectorize(assume_safety)
  for (size_t k = 0; k < count; ++k) {
    const int64_t start = starts.at(static_cast<int64_t>(k));
    const bool isOutside = offsets[k] == kOutside || start < 0 || start > most;
    // Multiplied as unsigned: what lies outside may be too large.
    const auto place = static_cast<uint64_t>(start) * static_cast<uint64_t>(stride);
    offsets[k] = isOutside ? kOutside : offsets[k] + static_cast<int64_t>(place);
  }
}

}  // namespace

Result<WindowNumbers> readWindowNumbers(const Operation& operation,
                                        const WindowNumberNames& names) {
  CheckedAttributes read = CheckedAttributes(operation).dictionary(names.attribute);
  const std::vector<int64_t> none;
  WindowNumbers numbers;
  numbers.window = read.integers(names.window, none);
  numbers.removed = read.integers(names.removed, none);
  numbers.operandBatching = read.integers(names.operandBatching, none);
  numbers.indicesBatching = read.integers(names.indicesBatching, none);
  numbers.indexMap = read.integers(names.indexMap, none);
  numbers.indexVector = read.integer("index_vector_dim", 0);
  RETURN_IF_ERROR(read.status());
  return numbers;
}

Result<IndexedWindows> IndexedWindows::make(const WindowNumbers& numbers, const Shape& operand,
                                            const Tensor& indices, int64_t outerRank) {
  IndexedWindows windows;
  windows.numbers_ = numbers;
  const auto rank = std::ssize(operand);
  const std::vector<int64_t> absent = joined(numbers.removed, numbers.operandBatching);
  for (const auto& [name, values, limit] :
       {std::tuple("window dimensions", &numbers.window, outerRank),
        std::tuple("dimensions that windows lack", &absent, int64_t{rank}),
        std::tuple("index map", &numbers.indexMap, int64_t{rank}),
        std::tuple("batching dimensions", &numbers.indicesBatching, indices.rank())})
    RETURN_IF_ERROR(checkDimensions("dimension numbers", name, *values, limit));
  if (!isInteger(indices.type()))
    return badInput("the indices are {}; they must be integers", describe(indices));
  if (numbers.indexVector < 0 || numbers.indexVector > indices.rank())
    return badInput("index_vector_dim is {}; the indices are {}", numbers.indexVector,
                    describe(indices));
  if (numbers.operandBatching.size() != numbers.indicesBatching.size())
    return badInput("as many batching dimensions of the indices as of the operand are needed");
  const bool hasVector = numbers.indexVector < indices.rank();
  const int64_t vectorSize =
      hasVector ? indices.shape()[static_cast<size_t>(numbers.indexVector)] : 1;
  if (vectorSize != std::ssize(numbers.indexMap))
    return badInput("index vectors have {} entries and the index map {}", vectorSize,
                    numbers.indexMap.size());
  windows.operandDimensions_ = others(rank, absent);
  windows.batchDimensions_ = others(outerRank, numbers.window);
  const std::vector<int64_t> strides = rowMajorStrides(indices.shape());
  for (int64_t i = 0; i < indices.rank(); ++i) {
    const auto dimension = static_cast<size_t>(i);
    if (i == numbers.indexVector) {
      windows.vectorStride_ = strides[dimension];
      continue;
    }
    windows.batchShape_.push_back(indices.shape()[dimension]);
    windows.indexStrides_.push_back(strides[dimension]);
  }
  if (windows.operandDimensions_.size() != numbers.window.size() ||
      windows.batchDimensions_.size() != windows.batchShape_.size())
    return badInput(
        "windows of rank {} at indices of rank {} do not make an array of rank "
        "{} with {} window dimensions",
        windows.operandDimensions_.size(), windows.batchShape_.size(), outerRank,
        numbers.window.size());
  for (size_t i = 0; i < numbers.indicesBatching.size(); ++i) {
    const int64_t dimension = numbers.indicesBatching[i];
    if (dimension == numbers.indexVector ||
        indices.shape()[static_cast<size_t>(dimension)] !=
            operand[static_cast<size_t>(numbers.operandBatching[i])])
      return badInput("batching dimension {} of the indices does not fit the operand's {}",
                      dimension, numbers.operandBatching[i]);
  }
  windows.indices_ = indices;
  return windows;
}

void IndexedWindows::start(std::span<const int64_t> batchIndex, std::span<int64_t> start) const {
  std::ranges::fill(start, 0);
  const int64_t offset = offsetOf(batchIndex, indexStrides_);
  for (size_t i = 0; i < numbers_.indexMap.size(); ++i)
    start[static_cast<size_t>(numbers_.indexMap[i])] =
        integerElement(indices_, offset + static_cast<int64_t>(i) * vectorStride_);
  for (size_t i = 0; i < numbers_.indicesBatching.size(); ++i) {
    const int64_t dimension = numbers_.indicesBatching[i];
    const int64_t batch = dimension - (dimension < numbers_.indexVector ? 0 : 1);
    start[static_cast<size_t>(numbers_.operandBatching[i])] =
        batchIndex[static_cast<size_t>(batch)];
  }
}

void IndexedWindows::rowOffsets(std::span<const int64_t> batchIndex,
                                std::span<const int64_t> strides, std::span<const int64_t> last,
                                Beyond beyond, std::span<int64_t> offsets) const {
  std::ranges::fill(offsets, 0);
  // starts.at(k): where window k of the row starts in this dimension.
  const auto add = [&]<typename Starts>(int64_t dimension, Starts starts) {
    const int64_t stride = strides[static_cast<size_t>(dimension)];
    const int64_t most = last[static_cast<size_t>(dimension)];
    if (beyond == Beyond::kIsClamped)
      onAnyProcessor<&addClamped<Starts>>(starts, most, stride, offsets.data(), offsets.size());
    else
      onAnyProcessor<&addInside<Starts>>(starts, most, stride, offsets.data(), offsets.size());
  };
  const int64_t offset = offsetOf(batchIndex, indexStrides_);
  const int64_t step = indexStrides_.empty() ? 0 : indexStrides_.back();
  visitElementType(indices_.type(), [&]<typename T>() {
    if constexpr (kIsIntegerStorage<T>) {
      const T* starts = indices_.values<T>().data() + offset;
      for (const int64_t dimension : numbers_.indexMap) {
        if (step == 1)
          add(dimension, Indices<T, 1>{starts, 1});
        else
          add(dimension, Indices<T, 0>{starts, step});
        starts += vectorStride_;
      }
    }
  });
  for (size_t i = 0; i < numbers_.indicesBatching.size(); ++i) {
    const int64_t dimension = numbers_.indicesBatching[i];
    const auto batch = static_cast<size_t>(dimension - (dimension < numbers_.indexVector ? 0 : 1));
    const int64_t first = batchIndex[batch], each = batch + 1 == batchShape_.size() ? 1 : 0;
    add(numbers_.operandBatching[i], Numbers{first, each});
  }
}

}  // namespace vintage::harness
