// Constraints of dot products and convolutions. einsum and unary_einsum are not checked: the
// specification has dropped them.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/contraction_ops.h"

namespace mlir::stablehlo {
namespace {

LogicalResult checkEqualSizes(Constraint constraint, StringRef kind, Type lhs,
                              ArrayRef<int64_t> lhsDimensions, Type rhs,
                              ArrayRef<int64_t> rhsDimensions) {
  for (auto [left, right] : llvm::zip_equal(lhsDimensions, rhsDimensions))
    if (!sizesAgree(shapeOf(lhs)[left], shapeOf(rhs)[right]))
      return violation(constraint) << kind << " dimensions must have the same size: dimension "
                                   << left << " of lhs has " << shapeOf(lhs)[left] << ", dimension "
                                   << right << " of rhs has " << shapeOf(rhs)[right];
  return success();
}

LogicalResult checkPrecision(Constraint constraint, std::optional<ArrayAttr> precision) {
  // An empty list stands for the default.
  if (!precision || precision->empty() || precision->size() == 2) return success();
  return violation(constraint) << "precision_config must have 2 elements, found "
                               << precision->size();
}

// Checked here and not in the attribute, which portable artifacts make unchecked.
LogicalResult checkAlgorithm(Operation* operation, std::optional<DotAlgorithmAttr> algorithm) {
  if (!algorithm) return success();
  const std::pair<StringRef, int64_t> counts[] = {
      {"lhs_component_count", algorithm->getLhsComponentCount()},
      {"rhs_component_count", algorithm->getRhsComponentCount()},
      {"num_primitive_operations", algorithm->getNumPrimitiveOperations()}};
  for (auto [name, count] : counts)
    if (count < 1)
      return operation->emitOpError()
             << name << " of the algorithm must be positive, found " << count;
  return success();
}

constexpr WindowConstraints kConvolution{2, 3, 5, 6, 7, 8, 4};

// The dimensions of one tensor: complete, unique and within the rank.
LogicalResult checkDimensions(Operation* operation, unsigned sizeNumber, unsigned rangeNumber,
                              StringRef name, int64_t first, int64_t second,
                              ArrayRef<int64_t> spatial, int64_t rank) {
  if (failed(checkSize({operation, sizeNumber}, (name + "_spatial_dimensions").str(), rank - 2,
                       spatial.size())))
    return failure();
  Shape all = joined({first, second}, spatial);
  const std::string dimensions = (name + " dimensions").str();
  if (failed(checkUnique({operation, rangeNumber}, dimensions, all))) return failure();
  return checkWithin({operation, rangeNumber}, dimensions, all, rank);
}

LogicalResult checkDivisible(Constraint constraint, StringRef what, int64_t size,
                             StringRef divisorName, int64_t divisor) {
  if (!isKnown(size) || size % divisor == 0) return success();
  return violation(constraint) << what << " has size " << size << ", which is no multiple of "
                               << divisorName << " " << divisor;
}

// Everything but the padding, which dynamic_conv has as an operand.
template <typename ConvolutionOp>
FailureOr<Shape> convolutionShape(ConvolutionOp op, DenseIntElementsAttr padding,
                                  bool paddingKnown) {
  Operation* operation = op;
  Type lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  const int64_t rank = rankOf(lhs);
  if (rankOf(rhs) != rank || rank < 2)
    return violation({operation, 1})
           << "lhs and rhs must have the same rank of at least 2: found " << lhs << " and " << rhs;
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const auto inputSpatial = numbers.getInputSpatialDimensions();
  const auto kernelSpatial = numbers.getKernelSpatialDimensions();
  const auto outputSpatial = numbers.getOutputSpatialDimensions();
  Window window;
  // dynamic_conv is deprecated; programs that jax2tf made have strides of another
  // length, and nothing depends on them without the padding.
  Attribute strides = paddingKnown ? op.getWindowStrides().value_or(nullptr) : nullptr;
  if (failed(readWindow(operation, kConvolution, rank - 2, strides,
                        op.getLhsDilation().value_or(nullptr),
                        op.getRhsDilation().value_or(nullptr), padding, window)))
    return failure();
  if (std::optional<Attribute> reversal = op.getWindowReversal())
    if (failed(
            checkSize({operation, 9}, "window_reversal", rank - 2, booleansOf(*reversal).size())))
      return failure();
  if (failed(checkDimensions(operation, 12, 13, "input", numbers.getInputBatchDimension(),
                             numbers.getInputFeatureDimension(), inputSpatial, rank)) ||
      failed(checkDimensions(operation, 17, 18, "kernel", numbers.getKernelInputFeatureDimension(),
                             numbers.getKernelOutputFeatureDimension(), kernelSpatial, rank)) ||
      failed(checkDimensions(operation, 19, 20, "output", numbers.getOutputBatchDimension(),
                             numbers.getOutputFeatureDimension(), outputSpatial, rank)))
    return failure();
  const int64_t featureGroups = op.getFeatureGroupCount(), batchGroups = op.getBatchGroupCount();
  if (featureGroups != 1 && batchGroups != 1)
    return violation({operation, 23})
           << "feature_group_count or batch_group_count must be 1: found " << featureGroups
           << " and " << batchGroups;
  const int64_t batch = shapeOf(lhs)[numbers.getInputBatchDimension()];
  const int64_t features = shapeOf(lhs)[numbers.getInputFeatureDimension()];
  const int64_t kernelInputs = shapeOf(rhs)[numbers.getKernelInputFeatureDimension()];
  const int64_t kernelOutputs = shapeOf(rhs)[numbers.getKernelOutputFeatureDimension()];
  if (failed(checkDivisible({operation, 10}, "batch dimension of lhs", batch, "batch_group_count",
                            batchGroups)) ||
      failed(checkDivisible({operation, 11}, "feature dimension of lhs", features,
                            "feature_group_count", featureGroups)))
    return failure();
  if (isKnown(features) && !sizesAgree(kernelInputs, features / featureGroups))
    return violation({operation, 14})
           << "input feature dimension of rhs must have size " << features / featureGroups
           << ", the features of lhs (" << features << ") by group, found " << kernelInputs;
  if (failed(checkDivisible({operation, 15}, "output feature dimension of rhs", kernelOutputs,
                            "batch_group_count", batchGroups)) ||
      failed(checkDivisible({operation, 16}, "output feature dimension of rhs", kernelOutputs,
                            "feature_group_count", featureGroups)))
    return failure();
  if (failed(checkPrecision({operation, 24}, op.getPrecisionConfig())) ||
      failed(checkRank({operation, 26}, "result", rank, op.getResult().getType())))
    return failure();
  Shape base;
  for (auto [input, kernel] : llvm::zip_equal(inputSpatial, kernelSpatial)) {
    base.push_back(paddingKnown ? shapeOf(lhs)[input] : ShapedType::kDynamic);
    window.sizes.push_back(shapeOf(rhs)[kernel]);
  }
  const FailureOr<Shape> places = windowedShape({operation, 25}, base, window);
  if (failed(places)) return failure();
  Shape expected(rank, 0);
  expected[numbers.getOutputBatchDimension()] = isKnown(batch) ? batch / batchGroups : batch;
  expected[numbers.getOutputFeatureDimension()] = kernelOutputs;
  for (auto [output, count] : llvm::zip_equal(outputSpatial, *places)) expected[output] = count;
  return expected;
}

}  // namespace

FailureOr<Shape> ConvolutionOp::inferShape() {
  return convolutionShape(*this, getPadding().value_or(nullptr), /*paddingKnown=*/true);
}

FailureOr<Shape> DynamicConvOp::inferShape() {
  const int64_t windowed = rankOf(getLhs().getType()) - 2;
  const FailureOr<Shape> shape = convolutionShape(*this, nullptr, /*paddingKnown=*/false);
  if (failed(shape) ||
      failed(checkShape({*this, 4}, "padding", {windowed, 2}, shapeOf(getPadding().getType()))))
    return failure();
  return shape;
}

FailureOr<Shape> DotGeneralOp::inferShape() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  const auto lhsBatching = numbers.getLhsBatchingDimensions();
  const auto rhsBatching = numbers.getRhsBatchingDimensions();
  const auto lhsContracting = numbers.getLhsContractingDimensions();
  const auto rhsContracting = numbers.getRhsContractingDimensions();
  if (lhsBatching.size() != rhsBatching.size())
    return violation({*this, 1}) << "lhs and rhs must have as many batching dimensions: found "
                                 << listText(lhsBatching) << " and " << listText(rhsBatching);
  if (lhsContracting.size() != rhsContracting.size())
    return violation({*this, 2}) << "lhs and rhs must have as many contracting dimensions: found "
                                 << listText(lhsContracting) << " and " << listText(rhsContracting);
  Shape lhsUsed = joined(lhsBatching, lhsContracting);
  Shape rhsUsed = joined(rhsBatching, rhsContracting);
  if (failed(checkUnique({*this, 3}, "batching and contracting dimensions of lhs", lhsUsed)) ||
      failed(checkUnique({*this, 4}, "batching and contracting dimensions of rhs", rhsUsed)) ||
      failed(checkWithin({*this, 5}, "lhs_batching_dimensions", lhsBatching, rankOf(lhs))) ||
      failed(checkWithin({*this, 6}, "lhs_contracting_dimensions", lhsContracting, rankOf(lhs))) ||
      failed(checkWithin({*this, 7}, "rhs_batching_dimensions", rhsBatching, rankOf(rhs))) ||
      failed(checkWithin({*this, 8}, "rhs_contracting_dimensions", rhsContracting, rankOf(rhs))) ||
      failed(checkEqualSizes({*this, 9}, "batching", lhs, lhsBatching, rhs, rhsBatching)) ||
      failed(
          checkEqualSizes({*this, 10}, "contracting", lhs, lhsContracting, rhs, rhsContracting)) ||
      failed(checkPrecision({*this, 11}, getPrecisionConfig())) ||
      failed(checkAlgorithm(*this, getAlgorithm())))
    return failure();
  Shape expected;
  for (int64_t dimension : lhsBatching) expected.push_back(shapeOf(lhs)[dimension]);
  llvm::append_range(expected, without(shapeOf(lhs), lhsUsed));
  llvm::append_range(expected, without(shapeOf(rhs), rhsUsed));
  return expected;
}

FailureOr<Shape> DotOp::inferShape() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  const int64_t lhsRank = rankOf(lhs), rhsRank = rankOf(rhs);
  if (lhsRank < 1 || lhsRank > 2 || rhsRank < 1 || rhsRank > 2)
    return violation({*this, 1}) << "lhs and rhs must be vectors or matrices, found " << lhs
                                 << " and " << rhs;
  if (!sizesAgree(shapeOf(lhs).back(), shapeOf(rhs).front()))
    return violation({*this, 2})
           << "last dimension of lhs and first of rhs must have the same size: "
           << "found " << shapeOf(lhs).back() << " and " << shapeOf(rhs).front();
  if (failed(checkPrecision({*this, 3}, getPrecisionConfig()))) return failure();
  return joined(shapeOf(lhs).drop_back(), shapeOf(rhs).drop_front());
}

}  // namespace mlir::stablehlo
