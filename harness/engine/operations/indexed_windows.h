// The geometry that gather and scatter share: windows of an operand, placed by
// vectors of indices, and their places in the gathered result or the updates
// (here: the outer array).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"
#include "harness/engine/operations/data_movement.h"

namespace vintage::harness {

// The dimension numbers under one set of names.
struct WindowNumbers {
  std::vector<int64_t> window;           // offset_dims, update_window_dims
  std::vector<int64_t> removed;          // collapsed_slice_dims, inserted_window_dims
  std::vector<int64_t> operandBatching;  // operand_batching_dims, input_batching_dims
  std::vector<int64_t> indicesBatching;
  std::vector<int64_t> indexMap;  // start_index_map, scatter_dims_to_operand_dims
  int64_t indexVector = 0;
};

struct WindowNumberNames {
  const char *attribute, *window, *removed, *operandBatching, *indicesBatching, *indexMap;
};
Result<WindowNumbers> readWindowNumbers(const golden::Operation& operation,
                                        const WindowNumberNames& names);

class IndexedWindows {
 public:
  // `outerRank` is that of the result or the updates. Everything is checked
  // against the shapes.
  static Result<IndexedWindows> make(const WindowNumbers& numbers, const golden::Shape& operand,
                                     const golden::Tensor& indices, int64_t outerRank);

  // Dimensions of the operand that windows have, ascending, and where each
  // stands in the outer array.
  const std::vector<int64_t>& operandDimensions() const { return operandDimensions_; }
  const std::vector<int64_t>& outerDimensions() const { return numbers_.window; }
  // The outer array's other dimensions, and their sizes: one window for each index.
  const std::vector<int64_t>& batchDimensions() const { return batchDimensions_; }
  const golden::Shape& batchShape() const { return batchShape_; }

  // Where the window of this batch index starts in each dimension of the
  // operand, unclamped.
  void start(std::span<const int64_t> batchIndex, std::span<int64_t> start) const;

  // Calls visit(offsets, first, step) for the windows of each row of indices, up to kMostOffsets at
  // a time: `offsets` are those of the windows in an operand of `strides`, `first` is that of the
  // first one in the outer array, and `step` leads from one to the next there. A start beyond
  // `last`, or below 0, in any dimension is clamped or makes the offset kOutside.
  static constexpr int64_t kOutside = -1;  // No offset is negative.
  enum class Beyond { kIsClamped, kIsOutside };
  template <typename Visit>
  void forEachRow(std::span<const int64_t> batchStrides, std::span<const int64_t> strides,
                  std::span<const int64_t> last, Beyond beyond, Visit visit) const {
    const size_t length = batchShape_.empty() ? 1 : static_cast<size_t>(batchShape_.back());
    std::vector<int64_t> memory(std::min(length, kMostOffsets)), batch(batchShape_.size());
    golden::Shape rows = batchShape_;
    if (!rows.empty()) rows.back() = 1;
    do {
      for (size_t first = 0; first < length; first += kMostOffsets) {
        const std::span offsets(memory.data(), std::min(length - first, kMostOffsets));
        if (!batch.empty()) batch.back() = static_cast<int64_t>(first);
        rowOffsets(batch, strides, last, beyond, offsets);
        visit(offsets, offsetOf(batch, batchStrides),
              batchStrides.empty() ? 0 : batchStrides.back());
      }
      if (!batch.empty()) batch.back() = 0;
    } while (nextIndex(rows, batch));
  }

 private:
  static constexpr size_t kMostOffsets = 1024;

  // From the batch index of the first window of them.
  void rowOffsets(std::span<const int64_t> batchIndex, std::span<const int64_t> strides,
                  std::span<const int64_t> last, Beyond beyond, std::span<int64_t> offsets) const;

  WindowNumbers numbers_;
  std::vector<int64_t> operandDimensions_, batchDimensions_;
  golden::Shape batchShape_;
  golden::Tensor indices_;
  std::vector<int64_t> indexStrides_;  // By batch dimension.
  int64_t vectorStride_ = 0;
};

}  // namespace vintage::harness
