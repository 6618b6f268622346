// gather and scatter by StableHLO's definition.
#pragma once

#include "golden/oracle/elementwise.h"
#include "golden/oracle/room.h"

namespace vintage::golden::oracle {

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

// What lies outside is dropped, unless `clamp` moves windows inside first.
Tensor scatter(const Tensor& operand, const Tensor& indices, const Tensor& updates,
               const IndexingDimensions& dimensions, std::span<const int64_t> windowSizes,
               Combine combine, bool clamp);

}  // namespace vintage::golden::oracle
