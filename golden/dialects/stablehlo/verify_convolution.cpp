// Constraints of convolution and dynamic_conv.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/contraction_ops.h"

namespace mlir::stablehlo {
namespace {

constexpr WindowConstraints kNumbers{2, 3, 5, 6, 7, 8, 4};

// The dimensions of one tensor: complete, unique and within the rank.
LogicalResult checkDimensions(Operation* operation, unsigned sizeNumber, unsigned rangeNumber,
                              llvm::StringRef name, int64_t first, int64_t second,
                              llvm::ArrayRef<int64_t> spatial, int64_t rank) {
  if (failed(checkSize(operation, sizeNumber, (name + "_spatial_dimensions").str(), rank - 2,
                       spatial.size())))
    return failure();
  Shape all = joined({first, second}, spatial);
  const std::string dimensions = (name + " dimensions").str();
  if (failed(checkUnique(operation, rangeNumber, dimensions, all))) return failure();
  return checkWithin(operation, rangeNumber, dimensions, all, rank);
}

LogicalResult checkDivisible(Operation* operation, unsigned number, llvm::StringRef what,
                             int64_t size, llvm::StringRef divisorName, int64_t divisor) {
  if (!isKnown(size) || size % divisor == 0) return success();
  return violation(operation, number) << what << " has size " << size
                                      << ", which is no multiple of " << divisorName << " "
                                      << divisor;
}

// Everything but the padding, which dynamic_conv has as an operand.
template <typename ConvolutionOp>
LogicalResult verifyConvolution(ConvolutionOp op, DenseIntElementsAttr padding, bool paddingKnown) {
  Operation* operation = op;
  Type lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  Type result = op.getResult().getType();
  const int64_t rank = rankOf(lhs);
  if (rankOf(rhs) != rank || rank < 2)
    return violation(operation, 1) << "lhs and rhs must have the same rank of at least 2: found "
                                   << lhs << " and " << rhs;
  ConvDimensionNumbersAttr numbers = op.getDimensionNumbers();
  const auto inputSpatial = numbers.getInputSpatialDimensions();
  const auto kernelSpatial = numbers.getKernelSpatialDimensions();
  const auto outputSpatial = numbers.getOutputSpatialDimensions();
  Window window;
  // dynamic_conv is deprecated; programs that jax2tf made have strides of another
  // length, and nothing depends on them without the padding.
  Attribute strides = paddingKnown ? op.getWindowStrides().value_or(nullptr) : nullptr;
  if (failed(readWindow(operation, kNumbers, rank - 2, strides,
                        op.getLhsDilation().value_or(nullptr),
                        op.getRhsDilation().value_or(nullptr), padding, window)))
    return failure();
  if (std::optional<Attribute> reversal = op.getWindowReversal())
    if (failed(checkSize(operation, 9, "window_reversal", rank - 2, booleansOf(*reversal).size())))
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
    return violation(operation, 23) << "feature_group_count or batch_group_count must be 1: found "
                                    << featureGroups << " and " << batchGroups;
  const int64_t batch = shapeOf(lhs)[numbers.getInputBatchDimension()];
  const int64_t features = shapeOf(lhs)[numbers.getInputFeatureDimension()];
  const int64_t kernelInputs = shapeOf(rhs)[numbers.getKernelInputFeatureDimension()];
  const int64_t kernelOutputs = shapeOf(rhs)[numbers.getKernelOutputFeatureDimension()];
  if (failed(checkDivisible(operation, 10, "batch dimension of lhs", batch, "batch_group_count",
                            batchGroups)) ||
      failed(checkDivisible(operation, 11, "feature dimension of lhs", features,
                            "feature_group_count", featureGroups)))
    return failure();
  if (isKnown(features) && !sizesAgree(kernelInputs, features / featureGroups))
    return violation(operation, 14)
           << "input feature dimension of rhs must have size " << features / featureGroups
           << ", the features of lhs (" << features << ") by group, found " << kernelInputs;
  if (failed(checkDivisible(operation, 15, "output feature dimension of rhs", kernelOutputs,
                            "batch_group_count", batchGroups)) ||
      failed(checkDivisible(operation, 16, "output feature dimension of rhs", kernelOutputs,
                            "feature_group_count", featureGroups)))
    return failure();
  std::optional<ArrayAttr> precision = op.getPrecisionConfig();
  if (precision && !precision->empty() && precision->size() != 2)
    return violation(operation, 24)
           << "precision_config must have 2 elements, found " << precision->size();
  if (rankOf(result) != rank)
    return violation(operation, 26) << "result must have rank " << rank << ", found "
                                    << rankOf(result);
  Shape base, places;
  for (auto [input, kernel] : llvm::zip_equal(inputSpatial, kernelSpatial)) {
    base.push_back(paddingKnown ? shapeOf(lhs)[input] : ShapedType::kDynamic);
    window.sizes.push_back(shapeOf(rhs)[kernel]);
  }
  if (failed(windowedShape(operation, 25, base, window, places))) return failure();
  Shape expected(rank, 0);
  expected[numbers.getOutputBatchDimension()] = isKnown(batch) ? batch / batchGroups : batch;
  expected[numbers.getOutputFeatureDimension()] = kernelOutputs;
  for (auto [output, count] : llvm::zip_equal(outputSpatial, places)) expected[output] = count;
  return checkShape(operation, 25, "result", expected, shapeOf(result));
}

}  // namespace

LogicalResult ConvolutionOp::verify() {
  return verifyConvolution(*this, getPadding().value_or(nullptr), /*paddingKnown=*/true);
}

LogicalResult DynamicConvOp::verify() {
  Type padding = getPadding().getType();
  const int64_t windowed = rankOf(getLhs().getType()) - 2;
  if (failed(verifyConvolution(*this, nullptr, /*paddingKnown=*/false))) return failure();
  return checkShape(*this, 4, "padding", {windowed, 2}, shapeOf(padding));
}

}  // namespace mlir::stablehlo
