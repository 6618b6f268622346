#include "golden/dialects/stablehlo/constraint_checks.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"

namespace mlir::stablehlo {
namespace {

LogicalResult readList(Operation* operation, unsigned sizeNumber, unsigned positiveNumber,
                       llvm::StringRef name, int64_t rank, Attribute attribute, Shape& values) {
  if (!attribute) {
    values.assign(rank, 1);
    return success();
  }
  values = dimensionsOf(attribute);
  if (failed(checkSize(operation, sizeNumber, name, rank, values.size()))) return failure();
  return checkPositive(operation, positiveNumber, name, values);
}

}  // namespace

LogicalResult readWindow(Operation* operation, const WindowConstraints& numbers, int64_t rank,
                         Attribute strides, Attribute baseDilations, Attribute windowDilations,
                         DenseIntElementsAttr padding, Window& window) {
  if (failed(readList(operation, numbers.stridesSize, numbers.stridesPositive, "window_strides",
                      rank, strides, window.strides)) ||
      failed(readList(operation, numbers.baseDilationsSize, numbers.baseDilationsPositive,
                      "base dilations", rank, baseDilations, window.baseDilations)) ||
      failed(readList(operation, numbers.windowDilationsSize, numbers.windowDilationsPositive,
                      "window dilations", rank, windowDilations, window.windowDilations)))
    return failure();
  window.padding.assign(rank, {0, 0});
  if (!padding) return success();
  auto type = padding.getType();
  // A splat of no rows occurs for windows without dimensions, whatever its columns.
  const bool fits = type.getRank() == 2 && type.getDimSize(0) == rank &&
                    (rank == 0 || type.getDimSize(1) == 2);
  if (!fits)
    return violation(operation, numbers.padding)
           << "padding must have shape " << rank << "x2, found " << shapeText(type.getShape());
  auto values = padding.getValues<int64_t>();
  for (int64_t d = 0; d < rank; ++d) window.padding[d] = {values[2 * d], values[2 * d + 1]};
  return success();
}

LogicalResult windowedShape(Operation* operation, unsigned number, llvm::ArrayRef<int64_t> shape,
                            const Window& window, Shape& result) {
  result.clear();
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!isKnown(size) || !isKnown(window.sizes[d])) {
      result.push_back(ShapedType::kDynamic);
      continue;
    }
    // In 128 bits: hostile dilations and paddings must not overflow.
    const auto dilated = [](__int128 extent, __int128 dilation) {
      return extent == 0 ? extent : (extent - 1) * dilation + 1;
    };
    const __int128 padded = dilated(size, window.baseDilations[d]) + window.padding[d].first +
                            window.padding[d].second;
    const __int128 extent = dilated(window.sizes[d], window.windowDilations[d]);
    const __int128 places =
        padded <= 0 || extent > padded ? 0 : (padded - extent) / window.strides[d] + 1;
    if (places > std::numeric_limits<int64_t>::max())
      return violation(operation, number)
             << "number of windows in dimension " << d << " is too large";
    result.push_back(static_cast<int64_t>(places));
  }
  return success();
}

}  // namespace mlir::stablehlo
