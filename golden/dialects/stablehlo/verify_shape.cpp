// Constraints of the operations that move elements without computing, and of those whose result
// shape is an operand.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/dynamic_ops.h"
#include "golden/dialects/stablehlo/shape_ops.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::stablehlo {
namespace {

// Operand `name` is a vector with one entry for each of `rank` dimensions.
LogicalResult checkVector(Constraint constraint, StringRef name, Type vector, int64_t rank) {
  const int64_t size = shapeOf(vector)[0];
  return sizesAgree(size, rank) ? success() : checkSize(constraint, name, rank, size);
}

}  // namespace

FailureOr<Shape> BroadcastOp::inferShape() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape sizes = dimensionsOf(getBroadcastSizes());
  if (failed(checkSameElements({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkNotNegative({*this, 2}, "broadcast_sizes", sizes)))
    return failure();
  return joined(sizes, shapeOf(operand));
}

LogicalResult BroadcastInDimOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape dimensions = dimensionsOf(getBroadcastDimensions());
  return checkBroadcastInDim(*this, operand, dimensions, result);
}

FailureOr<Shape> ConcatenateOp::inferShape() {
  if (getInputs().empty()) return violation({*this, 3}) << "at least one input is needed";
  Type first = getInputs()[0].getType(), result = getResult().getType();
  const int64_t dimension = getDimension(), rank = rankOf(first);
  if (failed(checkWithin({*this, 4}, "dimension", {dimension}, rank))) return failure();
  Shape expected(shapeOf(first));
  expected[dimension] = 0;
  for (auto [index, type] : llvm::enumerate(getInputs().getTypes())) {
    if (!elementsAgree(type, first))
      return violation({*this, 1})
             << "inputs must have the same element type: input 0 has " << elementOf(first)
             << ", input " << index << " has " << elementOf(type);
    Shape shape(shapeOf(type)), other(shapeOf(first));
    if (shape.size() == other.size()) shape[dimension] = other[dimension] = 0;
    if (!shapesAgree(shape, other))
      return violation({*this, 2}) << "inputs must have the same shape but for dimension "
                                   << dimension << ": input 0 has " << shapeText(shapeOf(first))
                                   << ", input " << index << " has " << shapeText(shapeOf(type));
    for (int64_t d = 0; d < rank; ++d) {
      const int64_t size = shapeOf(type)[d];
      if (d != dimension)
        expected[d] = isKnown(expected[d]) ? expected[d] : size;
      else if (!isKnown(expected[d]) || !isKnown(size))
        expected[d] = ShapedType::kDynamic;
      else if (llvm::AddOverflow(expected[d], size, expected[d]))
        return violation({*this, 6}) << "size of dimension " << d << " of result overflows";
    }
  }
  if (failed(checkSameElements({*this, 5}, "inputs", first, "result", result))) return failure();
  return expected;
}

LogicalResult ConstantOp::verify() {
  // A quantized constant holds its storage values.
  Type value = getValue().getType(), output = getOutput().getType();
  const bool quantized = elementKind(elementOf(output)) & (kPerTensorQuantized | kPerAxisQuantized);
  const bool sameElement = quantized || elementOf(value) == elementOf(output);
  if (sameElement && shapesAgree(shapeOf(value), shapeOf(output))) return success();
  return violation({*this, 1}) << "value and output must have the same type: found " << value
                               << " and " << output;
}

FailureOr<Shape> DynamicSliceOp::inferShape() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape sizes = dimensionsOf(getSliceSizes());
  if (failed(checkSameElements({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkSize({*this, 2}, "start_indices", rankOf(operand), getStartIndices().size())) ||
      failed(checkSize({*this, 2}, "slice_sizes", rankOf(operand), sizes.size())))
    return failure();
  if (!llvm::all_equal(getStartIndices().getTypes()))
    return violation({*this, 3}) << "start_indices must all have the same type";
  for (auto [d, size] : llvm::enumerate(shapeOf(operand)))
    if (sizes[d] < 0 || (isKnown(size) && sizes[d] > size))
      return violation({*this, 4}) << "slice size " << sizes[d] << " of dimension " << d
                                   << " is not in [0, " << size << "]";
  return sizes;
}

LogicalResult DynamicUpdateSliceOp::verify() {
  Type operand = getOperand().getType(), update = getUpdate().getType();
  Type result = getResult().getType();
  if (failed(checkSameType({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkSameElements({*this, 2}, "update", update, "operand", operand)) ||
      failed(checkSameRank({*this, 3}, "update", update, "operand", operand)) ||
      failed(checkSize({*this, 4}, "start_indices", rankOf(operand), getStartIndices().size())))
    return failure();
  if (!llvm::all_equal(getStartIndices().getTypes()))
    return violation({*this, 5}) << "start_indices must all have the same type";
  for (auto [d, size] : llvm::enumerate(shapeOf(update)))
    if (isKnown(size) && isKnown(shapeOf(operand)[d]) && size > shapeOf(operand)[d])
      return violation({*this, 6})
             << "dimension " << d << " of update has size " << size << ", more than the size "
             << shapeOf(operand)[d] << " of operand";
  return success();
}

LogicalResult GetDimensionSizeOp::verify() {
  return checkWithin({*this, 1}, "dimension", {getDimension()}, rankOf(getOperand().getType()));
}

LogicalResult SetDimensionSizeOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  if (failed(checkWithin({*this, 1}, "dimension", {getDimension()}, rankOf(operand))))
    return failure();
  Shape expected(shapeOf(operand)), found(shapeOf(result));
  if (expected.size() == found.size()) expected[getDimension()] = found[getDimension()] = 0;
  if (failed(checkSameElements({*this, 2}, "operand", operand, "result", result))) return failure();
  return checkShape({*this, 2}, "result, but for the dimension,", expected, found);
}

LogicalResult IotaOp::verify() {
  return checkWithin({*this, 1}, "iota_dimension", {getIotaDimension()},
                     rankOf(getOutput().getType()));
}

FailureOr<Shape> PadOp::inferShape() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape low = dimensionsOf(getEdgePaddingLow()), high = dimensionsOf(getEdgePaddingHigh());
  Shape interior = dimensionsOf(getInteriorPadding());
  const int64_t rank = rankOf(operand);
  if (failed(checkSameElements({*this, 1}, "padding_value", getPaddingValue().getType(), "operand",
                               operand)) ||
      failed(checkSameElements({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkSize({*this, 2}, "edge_padding_low", rank, low.size())) ||
      failed(checkSize({*this, 2}, "edge_padding_high", rank, high.size())) ||
      failed(checkSize({*this, 2}, "interior_padding", rank, interior.size())) ||
      failed(checkNotNegative({*this, 3}, "interior_padding", interior)))
    return failure();
  Shape expected(shapeOf(operand));
  for (auto [d, size] : llvm::enumerate(expected)) {
    if (!isKnown(size)) continue;
    // In 128 bits: hostile paddings must not overflow.
    const __int128 padded = static_cast<__int128>(size) +
                            static_cast<__int128>(std::max<int64_t>(size - 1, 0)) * interior[d] +
                            low[d] + high[d];
    if (padded < 0 || padded > std::numeric_limits<int64_t>::max())
      return violation({*this, 4}) << "padding makes the size of dimension " << d << " "
                                   << (padded < 0 ? "negative" : "too large");
    size = static_cast<int64_t>(padded);
  }
  return expected;
}

LogicalResult ReshapeOp::verify() {
  auto operand = cast<ShapedType>(getOperand().getType());
  auto result = cast<ShapedType>(getResult().getType());
  if (failed(checkSameElements({*this, 1}, "operand", operand, "result", result))) return failure();
  if (!operand.hasStaticShape() || !result.hasStaticShape()) return success();
  const auto operandCount = elementCount(operand.getShape());
  const auto resultCount = elementCount(result.getShape());
  if (!operandCount || !resultCount)
    return violation({*this, 2}) << "number of elements overflows 64 bits";
  if (*operandCount != *resultCount)
    return violation({*this, 2}) << "number of elements must stay the same: operand has "
                                 << *operandCount << ", result has " << *resultCount;
  return success();
}

LogicalResult ReverseOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape dimensions = dimensionsOf(getDimensions());
  return failure(failed(checkSameType({*this, 1}, "operand", operand, "result", result)) ||
                 failed(checkUnique({*this, 2}, "dimensions", dimensions)) ||
                 failed(checkWithin({*this, 3}, "dimensions", dimensions, rankOf(operand))));
}

FailureOr<Shape> SliceOp::inferShape() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape start = dimensionsOf(getStartIndices()), limit = dimensionsOf(getLimitIndices());
  Shape stride = dimensionsOf(getStrides());
  const int64_t rank = rankOf(operand);
  if (failed(checkSameElements({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkSize({*this, 2}, "start_indices", rank, start.size())) ||
      failed(checkSize({*this, 2}, "limit_indices", rank, limit.size())) ||
      failed(checkSize({*this, 2}, "strides", rank, stride.size())))
    return failure();
  for (auto [d, size] : llvm::enumerate(shapeOf(operand)))
    if (start[d] < 0 || start[d] > limit[d] || (isKnown(size) && limit[d] > size))
      return violation({*this, 3}) << "slice [" << start[d] << ":" << limit[d] << "] of dimension "
                                   << d << " does not lie in [0, " << shapeText({size}) << "]";
  if (failed(checkPositive({*this, 4}, "strides", stride))) return failure();
  Shape expected;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t extent = limit[d] - start[d];
    expected.push_back(extent / stride[d] + (extent % stride[d] != 0));
  }
  return expected;
}

FailureOr<Shape> TransposeOp::inferShape() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape permutation = dimensionsOf(getPermutation());
  const int64_t rank = rankOf(operand);
  if (failed(checkSameElements({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkSize({*this, 2}, "permutation", rank, permutation.size())) ||
      failed(checkWithin({*this, 2}, "permutation", permutation, rank)) ||
      failed(checkUnique({*this, 2}, "permutation", permutation)))
    return failure();
  Shape expected;
  for (int64_t dimension : permutation) expected.push_back(shapeOf(operand)[dimension]);
  return expected;
}

LogicalResult DynamicBroadcastInDimOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape dimensions = dimensionsOf(getBroadcastDimensions());
  if (failed(checkBroadcastInDim(*this, operand, dimensions, result)) ||
      failed(checkVector({*this, 7}, "output_dimensions", getOutputDimensions().getType(),
                         rankOf(result))))
    return failure();
  Shape expanding = dimensionsOf(getKnownExpandingDimensions().value_or(nullptr));
  Shape fixed = dimensionsOf(getKnownNonexpandingDimensions().value_or(nullptr));
  Shape known = joined(expanding, fixed);
  return failure(
      failed(checkUnique({*this, 8}, "known_expanding_dimensions and known_nonexpanding_dimensions",
                         known)) ||
      failed(checkWithin({*this, 9}, "known_expanding_dimensions", expanding, rankOf(operand))) ||
      failed(checkWithin({*this, 10}, "known_nonexpanding_dimensions", fixed, rankOf(operand))));
}

LogicalResult DynamicIotaOp::verify() {
  Type result = getResult().getType();
  return failure(
      failed(checkWithin({*this, 1}, "iota_dimension", {getIotaDimension()}, rankOf(result))) ||
      failed(checkVector({*this, 2}, "output_shape", getOutputShape().getType(), rankOf(result))));
}

LogicalResult DynamicPadOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const int64_t rank = rankOf(operand);
  return failure(
      failed(checkSameElements({*this, 1}, "padding_value", getPaddingValue().getType(), "operand",
                               operand)) ||
      failed(checkSameElements({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkVector({*this, 2}, "edge_padding_low", getEdgePaddingLow().getType(), rank)) ||
      failed(checkVector({*this, 2}, "edge_padding_high", getEdgePaddingHigh().getType(), rank)) ||
      failed(checkVector({*this, 2}, "interior_padding", getInteriorPadding().getType(), rank)) ||
      failed(checkSameRank({*this, 4}, "result", result, "operand", operand)));
}

LogicalResult DynamicReshapeOp::verify() {
  auto operand = cast<ShapedType>(getOperand().getType());
  auto result = cast<ShapedType>(getResult().getType());
  if (failed(checkSameElements({*this, 1}, "operand", operand, "result", result))) return failure();
  if (operand.hasStaticShape() && result.hasStaticShape()) {
    const auto operandCount = elementCount(operand.getShape());
    const auto resultCount = elementCount(result.getShape());
    if (!operandCount || operandCount != resultCount)
      return violation({*this, 2})
             << "number of elements must stay the same: operand is "
             << shapeText(operand.getShape()) << ", result is " << shapeText(result.getShape());
  }
  return checkVector({*this, 4}, "output_shape", getOutputShape().getType(), result.getRank());
}

LogicalResult RealDynamicSliceOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const int64_t rank = rankOf(operand);
  return failure(
      failed(checkSameElements({*this, 1}, "operand", operand, "result", result)) ||
      failed(checkVector({*this, 2}, "start_indices", getStartIndices().getType(), rank)) ||
      failed(checkVector({*this, 2}, "limit_indices", getLimitIndices().getType(), rank)) ||
      failed(checkVector({*this, 2}, "strides", getStrides().getType(), rank)) ||
      failed(checkSameRank({*this, 3}, "result", result, "operand", operand)));
}

}  // namespace mlir::stablehlo
