// Windows that slide over a tensor: convolution, reduce_window and
// select_and_scatter.
#pragma once

#include "golden/dialects/stablehlo/constraint_checks.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::stablehlo {

// One entry for each windowed dimension. An absent attribute means no striding,
// dilation or padding.
struct Window {
  Shape sizes, strides, baseDilations, windowDilations;
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;  // low, high
};

// Numbers of the constraints on each part, which differ between operations.
struct WindowConstraints {
  unsigned stridesSize, stridesPositive;
  unsigned baseDilationsSize, baseDilationsPositive;
  unsigned windowDilationsSize, windowDilationsPositive;
  unsigned padding;
};

// `rank` is the number of windowed dimensions; `window.sizes` is set by the caller.
LogicalResult readWindow(Operation* operation, const WindowConstraints& numbers, int64_t rank,
                         Attribute strides, Attribute baseDilations, Attribute windowDilations,
                         DenseIntElementsAttr padding, Window& window);

// How many places the window takes in each dimension of `shape`; unknown where a size is.
// Fails, with constraint `number`, where a size overflows.
LogicalResult windowedShape(Operation* operation, unsigned number, llvm::ArrayRef<int64_t> shape,
                            const Window& window, Shape& result);

}  // namespace mlir::stablehlo
