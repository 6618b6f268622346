// Constraints of the dot products. einsum and unary_einsum are not checked: the
// specification has dropped them.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/contraction_ops.h"

namespace mlir::stablehlo {
namespace {

LogicalResult checkEqualSizes(Operation* operation, unsigned number, llvm::StringRef kind, Type lhs,
                              llvm::ArrayRef<int64_t> lhsDimensions, Type rhs,
                              llvm::ArrayRef<int64_t> rhsDimensions) {
  for (auto [left, right] : llvm::zip_equal(lhsDimensions, rhsDimensions))
    if (!sizesAgree(shapeOf(lhs)[left], shapeOf(rhs)[right]))
      return violation(operation, number)
             << kind << " dimensions must have the same size: dimension " << left << " of lhs has "
             << shapeOf(lhs)[left] << ", dimension " << right << " of rhs has "
             << shapeOf(rhs)[right];
  return success();
}

LogicalResult checkPrecision(Operation* operation, unsigned number,
                             std::optional<ArrayAttr> precision) {
  // An empty list stands for the default.
  if (!precision || precision->empty() || precision->size() == 2) return success();
  return violation(operation, number)
         << "precision_config must have 2 elements, found " << precision->size();
}

// Checked here and not in the attribute, which portable artifacts make unchecked.
LogicalResult checkAlgorithm(Operation* operation, std::optional<DotAlgorithmAttr> algorithm) {
  if (!algorithm) return success();
  const std::pair<llvm::StringRef, int64_t> counts[] = {
      {"lhs_component_count", algorithm->getLhsComponentCount()},
      {"rhs_component_count", algorithm->getRhsComponentCount()},
      {"num_primitive_operations", algorithm->getNumPrimitiveOperations()}};
  for (auto [name, count] : counts)
    if (count < 1)
      return operation->emitOpError()
             << name << " of the algorithm must be positive, found " << count;
  return success();
}

}  // namespace

LogicalResult DotGeneralOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  const auto lhsBatching = numbers.getLhsBatchingDimensions();
  const auto rhsBatching = numbers.getRhsBatchingDimensions();
  const auto lhsContracting = numbers.getLhsContractingDimensions();
  const auto rhsContracting = numbers.getRhsContractingDimensions();
  if (lhsBatching.size() != rhsBatching.size())
    return violation(*this, 1) << "lhs and rhs must have as many batching dimensions: found "
                               << listText(lhsBatching) << " and " << listText(rhsBatching);
  if (lhsContracting.size() != rhsContracting.size())
    return violation(*this, 2) << "lhs and rhs must have as many contracting dimensions: found "
                               << listText(lhsContracting) << " and " << listText(rhsContracting);
  Shape lhsUsed = joined(lhsBatching, lhsContracting);
  Shape rhsUsed = joined(rhsBatching, rhsContracting);
  if (failed(checkUnique(*this, 3, "batching and contracting dimensions of lhs", lhsUsed)) ||
      failed(checkUnique(*this, 4, "batching and contracting dimensions of rhs", rhsUsed)) ||
      failed(checkWithin(*this, 5, "lhs_batching_dimensions", lhsBatching, rankOf(lhs))) ||
      failed(checkWithin(*this, 6, "lhs_contracting_dimensions", lhsContracting, rankOf(lhs))) ||
      failed(checkWithin(*this, 7, "rhs_batching_dimensions", rhsBatching, rankOf(rhs))) ||
      failed(checkWithin(*this, 8, "rhs_contracting_dimensions", rhsContracting, rankOf(rhs))) ||
      failed(checkEqualSizes(*this, 9, "batching", lhs, lhsBatching, rhs, rhsBatching)) ||
      failed(checkEqualSizes(*this, 10, "contracting", lhs, lhsContracting, rhs,
                             rhsContracting)) ||
      failed(checkPrecision(*this, 11, getPrecisionConfig())) ||
      failed(checkAlgorithm(*this, getAlgorithm())))
    return failure();
  Shape expected;
  for (int64_t dimension : lhsBatching) expected.push_back(shapeOf(lhs)[dimension]);
  for (auto [d, size] : llvm::enumerate(shapeOf(lhs)))
    if (!llvm::is_contained(lhsUsed, static_cast<int64_t>(d))) expected.push_back(size);
  for (auto [d, size] : llvm::enumerate(shapeOf(rhs)))
    if (!llvm::is_contained(rhsUsed, static_cast<int64_t>(d))) expected.push_back(size);
  return checkShape(*this, 12, "result", expected, shapeOf(getResult().getType()));
}

LogicalResult DotOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  const int64_t lhsRank = rankOf(lhs), rhsRank = rankOf(rhs);
  if (lhsRank < 1 || lhsRank > 2 || rhsRank < 1 || rhsRank > 2)
    return violation(*this, 1) << "lhs and rhs must be vectors or matrices, found " << lhs
                               << " and " << rhs;
  if (!sizesAgree(shapeOf(lhs).back(), shapeOf(rhs).front()))
    return violation(*this, 2) << "last dimension of lhs and first of rhs must have the same size: "
                               << "found " << shapeOf(lhs).back() << " and "
                               << shapeOf(rhs).front();
  if (failed(checkPrecision(*this, 3, getPrecisionConfig()))) return failure();
  return checkShape(*this, 4, "result",
                    joined(shapeOf(lhs).drop_back(), shapeOf(rhs).drop_front()),
                    shapeOf(getResult().getType()));
}

}  // namespace mlir::stablehlo
