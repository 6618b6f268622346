// Operations that only move elements, by their definition: a result index is
// mapped to the operand index that it comes from.
#pragma once

#include <functional>
#include <optional>

#include "golden/oracle/elementwise.h"
#include "golden/oracle/number.h"

namespace vintage::golden::oracle {

// The operand's index for a result's index; none: the element of `otherwise`.
using SourceIndex = std::function<std::optional<Shape>(const Shape& result)>;
Tensor gathered(const Tensor& operand, Shape shape, const SourceIndex& source,
                const Tensor* otherwise = nullptr);

Tensor broadcastInDim(const Tensor& operand, Shape shape, std::span<const int64_t> dimensions);
Tensor transposed(const Tensor& operand, std::span<const int64_t> permutation);
Tensor reversed(const Tensor& operand, std::span<const int64_t> dimensions);
Tensor sliced(const Tensor& operand, std::span<const int64_t> start, std::span<const int64_t> limit,
              std::span<const int64_t> stride);
// Negative edge padding removes elements.
Tensor padded(const Tensor& operand, const Tensor& value, std::span<const int64_t> low,
              std::span<const int64_t> high, std::span<const int64_t> interior);
Tensor concatenated(std::span<const Tensor> operands, int64_t dimension);

// Calls for each line along `axis` with the positions of its elements, and with these in the order
// of the keys: NaN last (first if descending), -0 equal to 0, equal keys in their original order.
using VisitSorted =
    std::function<void(std::span<const int64_t> places, std::span<const int64_t> sorted)>;
void forEachSortedLine(std::span<const Tensor> keys, size_t axis, const VisitSorted& visit,
                       bool descending = false);
// The first `k` of each line in this order, and their i32 positions in it.
std::vector<Tensor> firstInOrder(const Tensor& operand, size_t axis, int64_t k, bool descending);

// The axes below `rank` in neither list.
Shape otherAxes(size_t rank, const Shape& some, const Shape& more = {});
Shape inversePermutation(const Shape& permutation);

// gather and scatter by StableHLO's definition.

// The dimension numbers of both, under gather's names. For scatter: offset =
// update_window, collapsed = inserted_window, operandBatching = input_batching,
// startIndexMap = scatter_dims_to_operand_dims.
struct IndexingDimensions {
  Shape offset, collapsed, operandBatching, indicesBatching, startIndexMap;
  int64_t indexVector = 0;
};

// The shape of a gather's result, or of a scatter's updates.
Shape windowsShape(std::span<const int64_t> indices, const IndexingDimensions& dimensions,
                   std::span<const int64_t> sliceSizes);

// Start indices are clamped so that each slice is inside. With `fill`, slices
// that would be partly outside are filled with that scalar instead.
Tensor gather(const Tensor& operand, const Tensor& indices, const IndexingDimensions& dimensions,
              std::span<const int64_t> sliceSizes, const Tensor* fill = nullptr);

// Windows outside the operand are dropped, unless `clamp` moves them inside first.
Tensor scatter(const Tensor& operand, const Tensor& indices, const Tensor& updates,
               const IndexingDimensions& dimensions, std::span<const int64_t> windowSizes,
               Combine combine, bool clamp);

}  // namespace vintage::golden::oracle
