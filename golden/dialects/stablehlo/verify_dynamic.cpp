// Constraints of the operations whose result shape is an operand.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/dynamic_ops.h"

namespace mlir::stablehlo {
namespace {

// Operand `name` is a vector with one entry for each of `rank` dimensions.
LogicalResult checkVector(Operation* operation, unsigned number, llvm::StringRef name, Type vector,
                          int64_t rank) {
  const int64_t size = shapeOf(vector)[0];
  if (sizesAgree(size, rank)) return success();
  return violation(operation, number)
         << name << " must have " << rank << " elements, found " << size;
}

}  // namespace

LogicalResult DynamicBroadcastInDimOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  Shape dimensions = dimensionsOf(getBroadcastDimensions());
  if (failed(checkBroadcastInDim(*this, operand, dimensions, result))) return failure();
  if (failed(checkVector(*this, 7, "output_dimensions", getOutputDimensions().getType(),
                         rankOf(result))))
    return failure();
  Shape expanding, fixed;
  if (getKnownExpandingDimensions()) expanding = dimensionsOf(*getKnownExpandingDimensions());
  if (getKnownNonexpandingDimensions()) fixed = dimensionsOf(*getKnownNonexpandingDimensions());
  Shape known = joined(expanding, fixed);
  if (failed(checkUnique(*this, 8, "known_expanding_dimensions and known_nonexpanding_dimensions",
                         known)) ||
      failed(checkWithin(*this, 9, "known_expanding_dimensions", expanding, rankOf(operand))))
    return failure();
  return checkWithin(*this, 10, "known_nonexpanding_dimensions", fixed, rankOf(operand));
}

LogicalResult DynamicIotaOp::verify() {
  Type result = getResult().getType();
  if (failed(checkWithin(*this, 1, "iota_dimension", {getIotaDimension()}, rankOf(result))))
    return failure();
  return checkVector(*this, 2, "output_shape", getOutputShape().getType(), rankOf(result));
}

LogicalResult DynamicPadOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const int64_t rank = rankOf(operand);
  if (failed(checkSameElements(*this, 1, "padding_value", getPaddingValue().getType(), "operand",
                               operand)) ||
      failed(checkSameElements(*this, 1, "operand", operand, "result", result)) ||
      failed(checkVector(*this, 2, "edge_padding_low", getEdgePaddingLow().getType(), rank)) ||
      failed(checkVector(*this, 2, "edge_padding_high", getEdgePaddingHigh().getType(), rank)) ||
      failed(checkVector(*this, 2, "interior_padding", getInteriorPadding().getType(), rank)))
    return failure();
  if (rankOf(result) == rank) return success();
  return violation(*this, 4) << "result must have the rank of operand: result has "
                             << rankOf(result) << ", operand has " << rank;
}

LogicalResult DynamicReshapeOp::verify() {
  auto operand = cast<ShapedType>(getOperand().getType());
  auto result = cast<ShapedType>(getResult().getType());
  if (failed(checkSameElements(*this, 1, "operand", operand, "result", result))) return failure();
  if (operand.hasStaticShape() && result.hasStaticShape()) {
    const auto operandCount = elementCount(operand.getShape());
    const auto resultCount = elementCount(result.getShape());
    if (!operandCount || operandCount != resultCount)
      return violation(*this, 2) << "number of elements must stay the same: operand is "
                                 << shapeText(operand.getShape()) << ", result is "
                                 << shapeText(result.getShape());
  }
  return checkVector(*this, 4, "output_shape", getOutputShape().getType(), result.getRank());
}

LogicalResult RealDynamicSliceOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const int64_t rank = rankOf(operand);
  if (failed(checkSameElements(*this, 1, "operand", operand, "result", result)) ||
      failed(checkVector(*this, 2, "start_indices", getStartIndices().getType(), rank)) ||
      failed(checkVector(*this, 2, "limit_indices", getLimitIndices().getType(), rank)) ||
      failed(checkVector(*this, 2, "strides", getStrides().getType(), rank)))
    return failure();
  if (rankOf(result) == rank) return success();
  return violation(*this, 3) << "result must have the rank of operand: result has "
                             << rankOf(result) << ", operand has " << rank;
}

}  // namespace mlir::stablehlo
