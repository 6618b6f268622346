// Constraints of sort, map and batch normalization.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/reduction_ops.h"

namespace mlir::stablehlo {
namespace {

// Whether `type` is a scalar of the elements of `tensor`.
bool isScalarOf(Type type, Type tensor) {
  auto scalar = dyn_cast<RankedTensorType>(type);
  return scalar && scalar.getRank() == 0 && elementsAgree(scalar, tensor);
}

// The vectors of a batch normalization have an entry for each feature.
LogicalResult checkBatchNorm(Operation* operation, int64_t featureIndex, TypeRange vectors) {
  Type operand = operation->getOperand(0).getType();
  if (failed(checkWithin(operation, 1, "feature_index", {featureIndex}, rankOf(operand))))
    return failure();
  const int64_t features = shapeOf(operand)[featureIndex];
  for (auto [index, vector] : llvm::enumerate(vectors)) {
    if (!elementsAgree(vector, operand))
      return violation(operation, 2)
             << "all tensors must have the same element type: operand has " << elementOf(operand)
             << ", vector " << index << " has " << elementOf(vector);
    if (rankOf(vector) != 1 || !sizesAgree(shapeOf(vector)[0], features))
      return violation(operation, 3) << "vector " << index << " must have " << features
                                     << " elements, one for each feature, found "
                                     << shapeText(shapeOf(vector));
  }
  return success();
}

}  // namespace

LogicalResult SortOp::verify() {
  if (getInputs().empty()) return violation(*this, 1) << "at least one input is needed";
  if (getInputs().size() != getResults().size())
    return violation(*this, 2) << "inputs and results must be as many: found "
                               << getInputs().size() << " and " << getResults().size();
  Type first = getInputs()[0].getType();
  for (auto [index, types] :
       llvm::enumerate(llvm::zip_equal(getInputs().getTypes(), getResultTypes()))) {
    auto [input, result] = types;
    if (!typesAgree(input, result))
      return violation(*this, 2) << "result " << index << " must have the type of its input: found "
                                 << input << " and " << result;
    if (!shapesAgree(shapeOf(input), shapeOf(first)))
      return violation(*this, 3) << "inputs must have the same shape: input 0 has "
                                 << shapeText(shapeOf(first)) << ", input " << index << " has "
                                 << shapeText(shapeOf(input));
  }
  const int64_t rank = rankOf(first), dimension = getDimension();
  if (dimension < -rank || dimension >= rank)
    return violation(*this, 4) << "dimension must lie in [" << -rank << ", " << rank << "), found "
                               << dimension;
  Region& comparator = getComparator();
  if (comparator.getNumArguments() != 2 * getInputs().size())
    return violation(*this, 5) << "comparator must take " << 2 * getInputs().size()
                               << " arguments, found " << comparator.getNumArguments();
  for (auto [index, type] : llvm::enumerate(comparator.getArgumentTypes()))
    if (!isScalarOf(type, getInputs()[index / 2].getType()))
      return violation(*this, 5) << "argument " << index << " of comparator must be tensor<"
                                 << elementOf(getInputs()[index / 2].getType()) << ">, found "
                                 << type;
  if (std::optional<TypeRange> yielded = yieldedTypes(comparator))
    if (yielded->size() != 1 || !isTensorOfRank(yielded->front(), 0, kBool))
      return violation(*this, 5) << "comparator must give one tensor<i1>";
  return success();
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) return violation(*this, 2) << "at least one input is needed";
  Type first = getInputs()[0].getType(), result = getResult().getType();
  for (Type input : getInputs().getTypes())
    if (!shapesAgree(shapeOf(input), shapeOf(result)))
      return violation(*this, 1) << "inputs and result must have the same shape: found "
                                 << shapeText(shapeOf(input)) << " and "
                                 << shapeText(shapeOf(result));
  Shape dimensions = dimensionsOf(getDimensions());
  Shape all = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(first)));
  if (dimensions != all)
    return violation(*this, 3) << "dimensions must be " << listText(all) << ", found "
                               << listText(dimensions);
  Region& computation = getComputation();
  if (computation.getNumArguments() != getInputs().size())
    return violation(*this, 4) << "computation must take " << getInputs().size()
                               << " arguments, found " << computation.getNumArguments();
  for (auto [index, type] : llvm::enumerate(computation.getArgumentTypes()))
    if (!isScalarOf(type, getInputs()[index].getType()))
      return violation(*this, 4) << "argument " << index << " of computation must be tensor<"
                                 << elementOf(getInputs()[index].getType()) << ">, found " << type;
  if (std::optional<TypeRange> yielded = yieldedTypes(computation))
    if (yielded->size() != 1 || !isScalarOf(yielded->front(), result))
      return violation(*this, 4) << "computation must give one tensor<" << elementOf(result) << ">";
  return success();
}

LogicalResult BatchNormTrainingOp::verify() {
  if (failed(checkBatchNorm(*this, getFeatureIndex(),
                            {getScale().getType(), getOffset().getType(),
                             getBatchMean().getType(), getBatchVar().getType()})))
    return failure();
  return checkShape(*this, 7, "output", shapeOf(getOperand().getType()),
                    shapeOf(getOutput().getType()));
}

LogicalResult BatchNormInferenceOp::verify() {
  if (failed(checkBatchNorm(*this, getFeatureIndex(),
                            {getScale().getType(), getOffset().getType(), getMean().getType(),
                             getVariance().getType()})))
    return failure();
  return checkShape(*this, 7, "result", shapeOf(getOperand().getType()),
                    shapeOf(getResult().getType()));
}

LogicalResult BatchNormGradOp::verify() {
  if (failed(checkBatchNorm(*this, getFeatureIndex(),
                            {getScale().getType(), getMean().getType(), getVariance().getType(),
                             getGradScale().getType(), getGradOffset().getType()})) ||
      failed(checkShape(*this, 3, "grad_output", shapeOf(getOperand().getType()),
                        shapeOf(getGradOutput().getType()))))
    return failure();
  return checkShape(*this, 3, "grad_operand", shapeOf(getOperand().getType()),
                    shapeOf(getGradOperand().getType()));
}

}  // namespace mlir::stablehlo
