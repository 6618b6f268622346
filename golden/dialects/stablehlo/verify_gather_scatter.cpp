// Constraints of gather, dynamic_gather, scatter and torch_index_select.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/gather_scatter_ops.h"

namespace mlir::stablehlo {
namespace {

// The shape of `indices` without the dimension that holds index vectors.
Shape batchSizes(ArrayRef<int64_t> indices, int64_t indexVectorDim) {
  Shape sizes(indices);
  if (indexVectorDim < static_cast<int64_t>(sizes.size()))
    sizes.erase(sizes.begin() + indexVectorDim);
  return sizes;
}

// How many numbers an index vector holds.
int64_t indexVectorSize(ArrayRef<int64_t> indices, int64_t indexVectorDim) {
  return indexVectorDim < static_cast<int64_t>(indices.size()) ? indices[indexVectorDim] : 1;
}

// `window` at the dimensions `windowDims`, and `batch` at the others in order.
// The callers have checked that windowDims are sorted, unique and within the rank.
Shape combined(ArrayRef<int64_t> batch, ArrayRef<int64_t> window, ArrayRef<int64_t> windowDims) {
  Shape sizes;
  size_t nextBatch = 0, nextWindow = 0;
  for (size_t d = 0; d < batch.size() + window.size(); ++d) {
    const bool isWindow = llvm::is_contained(windowDims, static_cast<int64_t>(d));
    sizes.push_back(isWindow ? window[nextWindow++] : batch[nextBatch++]);
  }
  return sizes;
}

LogicalResult checkBatchingDims(Operation* operation, unsigned sizeNumber, unsigned equalNumber,
                                ArrayRef<int64_t> operand, ArrayRef<int64_t> operandDims,
                                ArrayRef<int64_t> indices, ArrayRef<int64_t> indicesDims) {
  if (operandDims.size() != indicesDims.size())
    return violation({operation, sizeNumber})
           << "operand and indices must have as many batching dimensions: found "
           << listText(operandDims) << " and " << listText(indicesDims);
  for (auto [left, right] : llvm::zip_equal(operandDims, indicesDims))
    if (!sizesAgree(operand[left], indices[right]))
      return violation({operation, equalNumber})
             << "batching dimension " << left << " of the operand has size " << operand[left]
             << ", batching dimension " << right << " of the indices has size " << indices[right];
  return success();
}

// The constraints that gather and dynamic_gather share: all but those on the slice sizes.
LogicalResult verifyGatherNumbers(Operation* operation, GatherDimensionNumbersAttr numbers,
                                  Type operand, Type indices, Type result) {
  const int64_t rank = rankOf(operand), indicesRank = rankOf(indices);
  const int64_t indexVectorDim = numbers.getIndexVectorDim();
  const auto offset = numbers.getOffsetDims(), collapsed = numbers.getCollapsedSliceDims();
  const auto batching = numbers.getOperandBatchingDims();
  const auto indicesBatching = numbers.getStartIndicesBatchingDims();
  const auto map = numbers.getStartIndexMap();
  const int64_t sum = offset.size() + collapsed.size() + batching.size();
  if (rank != sum)
    return violation({operation, 1})
           << "offset_dims, collapsed_slice_dims and operand_batching_dims must together be as "
              "many as the rank of the operand: found "
           << sum << " and " << rank;
  if (failed(checkWithin({operation, 2}, "index_vector_dim", {indexVectorDim}, indicesRank + 1)))
    return failure();
  const int64_t vectorSize = indexVectorSize(shapeOf(indices), indexVectorDim);
  if (!sizesAgree(vectorSize, map.size()))
    return violation({operation, 3})
           << "start_index_map must have " << vectorSize
           << " elements, as many as an index vector, found " << map.size();
  if (failed(checkUnique({operation, 4}, "offset_dims", offset)) ||
      failed(checkSorted({operation, 4}, "offset_dims", offset)) ||
      failed(checkWithin({operation, 5}, "offset_dims", offset, rankOf(result))) ||
      failed(checkUnique({operation, 6}, "collapsed_slice_dims and operand_batching_dims",
                         joined(collapsed, batching))) ||
      failed(checkSorted({operation, 7}, "collapsed_slice_dims", collapsed)) ||
      failed(checkWithin({operation, 8}, "collapsed_slice_dims", collapsed, rank)) ||
      failed(checkSorted({operation, 10}, "operand_batching_dims", batching)) ||
      failed(checkWithin({operation, 11}, "operand_batching_dims", batching, rank)) ||
      failed(checkUnique({operation, 13}, "start_indices_batching_dims", indicesBatching)) ||
      failed(checkWithin({operation, 14}, "start_indices_batching_dims", indicesBatching,
                         indicesRank)))
    return failure();
  if (llvm::is_contained(indicesBatching, indexVectorDim))
    return violation({operation, 15})
           << "index_vector_dim " << indexVectorDim
           << " must not be in start_indices_batching_dims " << listText(indicesBatching);
  return failure(failed(checkBatchingDims(operation, 16, 17, shapeOf(operand), batching,
                                          shapeOf(indices), indicesBatching)) ||
                 failed(checkUnique({operation, 18}, "start_index_map and operand_batching_dims",
                                    joined(map, batching))) ||
                 failed(checkWithin({operation, 19}, "start_index_map", map, rank)) ||
                 failed(checkSameElements({operation, 23}, "operand", operand, "result", result)));
}

// The result of a gather with these slice sizes; some may be unknown.
FailureOr<Shape> gatherShape(Operation* operation, GatherDimensionNumbersAttr numbers, Type operand,
                             Type indices, Type result, ArrayRef<int64_t> sizes) {
  if (failed(verifyGatherNumbers(operation, numbers, operand, indices, result))) return failure();
  const auto hasLargeSlice = [&](ArrayRef<int64_t> dimensions) {
    return llvm::any_of(dimensions, [&](int64_t d) { return isKnown(sizes[d]) && sizes[d] > 1; });
  };
  if (failed(checkSize({operation, 20}, "slice_sizes", rankOf(operand), sizes.size())))
    return failure();
  if (hasLargeSlice(numbers.getCollapsedSliceDims()))
    return violation({operation, 9})
           << "slice_sizes " << listText(sizes) << " must be at most 1 at collapsed_slice_dims "
           << listText(numbers.getCollapsedSliceDims());
  if (hasLargeSlice(numbers.getOperandBatchingDims()))
    return violation({operation, 12})
           << "slice_sizes " << listText(sizes) << " must be at most 1 at operand_batching_dims "
           << listText(numbers.getOperandBatchingDims());
  for (auto [d, size] : llvm::enumerate(shapeOf(operand)))
    if (isKnown(sizes[d]) && (sizes[d] < 0 || (isKnown(size) && sizes[d] > size)))
      return violation({operation, 21}) << "slice size " << sizes[d] << " of dimension " << d
                                        << " is not in [0, " << shapeText({size}) << "]";
  Shape batch = batchSizes(shapeOf(indices), numbers.getIndexVectorDim());
  Shape window =
      without(sizes, joined(numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims()));
  if (failed(checkRank({operation, 22}, "result", batch.size() + window.size(), result)))
    return failure();
  return combined(batch, window, numbers.getOffsetDims());
}

}  // namespace

FailureOr<Shape> GatherOp::inferShape() {
  return gatherShape(*this, getDimensionNumbers(), getOperand().getType(),
                     getStartIndices().getType(), getResult().getType(),
                     dimensionsOf(getSliceSizes()));
}

FailureOr<Shape> DynamicGatherOp::inferShape() {
  const Shape sizes(shapeOf(getSliceSizes().getType())[0], ShapedType::kDynamic);
  return gatherShape(*this, getDimensionNumbers(), getOperand().getType(),
                     getStartIndices().getType(), getResult().getType(), sizes);
}

LogicalResult ScatterOp::verify() {
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  const size_t count = getInputs().size();
  if (count == 0 || getResults().size() != count)
    return violation({*this, 5}) << "inputs, updates and results must be as many and at least one: "
                                 << "found " << count << ", " << getUpdates().size() << " and "
                                 << getResults().size();
  Type input = getInputs()[0].getType(), update = getUpdates()[0].getType();
  Type indices = getScatterIndices().getType();
  if (failed(checkSameShapes({*this, 1}, "inputs", getInputs().getTypes())) ||
      failed(checkSameShapes({*this, 3}, "updates", getUpdates().getTypes())))
    return failure();
  for (size_t k = 0; k < count; ++k) {
    Type inputK = getInputs()[k].getType(), updateK = getUpdates()[k].getType();
    if (failed(checkSameElements({*this, 6}, "updates", updateK, "inputs", inputK)))
      return failure();
    auto result = dyn_cast<RankedTensorType>(getResults()[k].getType());
    if (!result || !shapesAgree(result.getShape(), shapeOf(inputK)))
      return violation({*this, 24}) << "result " << k << " must have the shape of its input "
                                    << inputK << ", found " << getResults()[k].getType();
  }
  const int64_t rank = rankOf(input), indicesRank = rankOf(indices);
  const int64_t indexVectorDim = numbers.getIndexVectorDim();
  const auto window = numbers.getUpdateWindowDims(), inserted = numbers.getInsertedWindowDims();
  const auto batching = numbers.getInputBatchingDims();
  const auto indicesBatching = numbers.getScatterIndicesBatchingDims();
  const auto map = numbers.getScatterDimsToOperandDims();
  const int64_t sum = window.size() + inserted.size() + batching.size();
  if (rank != sum)
    return violation({*this, 2})
           << "update_window_dims, inserted_window_dims and input_batching_dims must together be "
              "as many as the rank of the inputs: found "
           << sum << " and " << rank;
  if (failed(checkUnique({*this, 7}, "update_window_dims", window)) ||
      failed(checkSorted({*this, 7}, "update_window_dims", window)) ||
      failed(checkWithin({*this, 8}, "update_window_dims", window, rankOf(update))) ||
      failed(checkUnique({*this, 9}, "inserted_window_dims and input_batching_dims",
                         joined(inserted, batching))) ||
      failed(checkSorted({*this, 10}, "inserted_window_dims", inserted)) ||
      failed(checkWithin({*this, 11}, "inserted_window_dims", inserted, rank)) ||
      failed(checkSorted({*this, 12}, "input_batching_dims", batching)) ||
      failed(checkWithin({*this, 13}, "input_batching_dims", batching, rank)) ||
      failed(checkUnique({*this, 14}, "scatter_indices_batching_dims", indicesBatching)) ||
      failed(
          checkWithin({*this, 15}, "scatter_indices_batching_dims", indicesBatching, indicesRank)))
    return failure();
  if (llvm::is_contained(indicesBatching, indexVectorDim))
    return violation({*this, 16}) << "index_vector_dim " << indexVectorDim
                                  << " must not be in scatter_indices_batching_dims "
                                  << listText(indicesBatching);
  if (failed(checkBatchingDims(*this, 17, 18, shapeOf(input), batching, shapeOf(indices),
                               indicesBatching)) ||
      failed(checkWithin({*this, 22}, "index_vector_dim", {indexVectorDim}, indicesRank + 1)))
    return failure();
  const int64_t vectorSize = indexVectorSize(shapeOf(indices), indexVectorDim);
  if (!sizesAgree(vectorSize, map.size()))
    return violation({*this, 19}) << "scatter_dims_to_operand_dims must have " << vectorSize
                                  << " elements, as many as an index vector, found " << map.size();
  if (failed(checkUnique({*this, 20}, "scatter_dims_to_operand_dims and input_batching_dims",
                         joined(map, batching))) ||
      failed(checkWithin({*this, 21}, "scatter_dims_to_operand_dims", map, rank)))
    return failure();

  Shape batch = batchSizes(shapeOf(indices), indexVectorDim);
  Shape limits = without(shapeOf(input), joined(inserted, batching));
  if (failed(checkRank({*this, 4}, "updates", batch.size() + limits.size(), update)))
    return failure();
  Shape largest = combined(batch, limits, window);
  for (auto [d, size] : llvm::enumerate(shapeOf(update))) {
    const bool isWindow = llvm::is_contained(window, static_cast<int64_t>(d));
    const bool fits = !isKnown(size) || !isKnown(largest[d]) ||
                      (isWindow ? size <= largest[d] : size == largest[d]);
    if (!fits)
      return violation({*this, 4})
             << "dimension " << d << " of updates has size " << size << ", "
             << (isWindow ? "more than the window's " : "not the indices' ") << largest[d];
  }
  SmallVector<Type> arguments(getInputs().getTypes());
  llvm::append_range(arguments, getUpdates().getTypes());
  return checkReducer({*this, 23}, "update_computation", getUpdateComputation(), arguments, count);
}

}  // namespace mlir::stablehlo
