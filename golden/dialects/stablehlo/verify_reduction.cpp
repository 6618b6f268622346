// Constraints of reductions, of what slides a window, of sort, map and batch normalization.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/reduction_ops.h"

namespace mlir::stablehlo {
namespace {

// Inputs, initial values and results correspond one to one; shapes of inputs and
// elements of both agree.
LogicalResult checkReduced(Operation* operation, unsigned countNumber, unsigned shapeNumber,
                           unsigned elementNumber, ValueRange inputs, ValueRange inits,
                           TypeRange results) {
  if (inputs.empty() || inputs.size() != inits.size() || inputs.size() != results.size())
    return violation({operation, countNumber})
           << "inputs, init_values and results must be as many and at least one: found "
           << inputs.size() << ", " << inits.size() << " and " << results.size();
  if (failed(checkSameShapes({operation, shapeNumber}, "inputs", inputs.getTypes())))
    return failure();
  for (size_t k = 0; k < inputs.size(); ++k) {
    Type input = inputs[k].getType(), init = inits[k].getType();
    if (!elementsAgree(input, init))
      return violation({operation, elementNumber})
             << "init_values must have the element type of inputs: input " << k << " has "
             << elementOf(input) << ", its initial value has " << elementOf(init);
    // A result can be wider than its input.
    auto result = dyn_cast<RankedTensorType>(results[k]);
    if (!result || !isPromotable(elementOf(input), elementOf(result)))
      return violation({operation, elementNumber})
             << "results must have the element type of inputs: input " << k << " has "
             << elementOf(input) << ", its result is " << results[k];
  }
  return success();
}

SmallVector<Type> typesOf(ValueRange first, ValueRange second) {
  SmallVector<Type> types(first.getTypes());
  llvm::append_range(types, second.getTypes());
  return types;
}

// Whether `type` is a scalar of the elements of `tensor`.
bool isScalarOf(Type type, Type tensor) {
  auto scalar = dyn_cast<RankedTensorType>(type);
  return scalar && scalar.getRank() == 0 && elementsAgree(scalar, tensor);
}

// `copies` arguments for each input, scalars of its elements.
LogicalResult checkScalarArguments(Constraint constraint, StringRef name, Region& region,
                                   ValueRange inputs, size_t copies) {
  if (failed(checkArgumentCount(constraint, name, region, copies * inputs.size())))
    return failure();
  for (auto [index, type] : llvm::enumerate(region.getArgumentTypes()))
    if (Type input = inputs[index / copies].getType(); !isScalarOf(type, input))
      return violation(constraint) << "argument " << index << " of " << name << " must be tensor<"
                                   << elementOf(input) << ">, found " << type;
  return success();
}

// Operands behind the first, `vectorOperands` of them, and results behind the first are vectors
// with an entry for each feature. The first result, by this name, has the shape of the operand.
LogicalResult checkBatchNorm(Operation* operation, int64_t featureIndex, size_t vectorOperands,
                             unsigned number, StringRef name) {
  Type operand = operation->getOperand(0).getType();
  const SmallVector<Type> vectors = typesOf(operation->getOperands().slice(1, vectorOperands),
                                            operation->getResults().drop_front());
  if (failed(checkWithin({operation, 1}, "feature_index", {featureIndex}, rankOf(operand))))
    return failure();
  const int64_t features = shapeOf(operand)[featureIndex];
  for (auto [index, vector] : llvm::enumerate(vectors)) {
    if (!elementsAgree(vector, operand))
      return violation({operation, 2})
             << "all tensors must have the same element type: operand has " << elementOf(operand)
             << ", vector " << index << " has " << elementOf(vector);
    if (rankOf(vector) != 1 || !sizesAgree(shapeOf(vector)[0], features))
      return violation({operation, 3})
             << "vector " << index << " must have " << features
             << " elements, one for each feature, found " << shapeText(shapeOf(vector));
  }
  return checkShape({operation, number}, name, shapeOf(operand),
                    shapeOf(operation->getResult(0).getType()));
}

}  // namespace

FailureOr<Shape> ReduceOp::inferShape() {
  if (failed(checkReduced(*this, 3, 1, 2, getInputs(), getInitValues(), getResultTypes())))
    return failure();
  Type input = getInputs()[0].getType();
  Shape dimensions = dimensionsOf(getDimensions());
  if (failed(checkWithin({*this, 4}, "dimensions", dimensions, rankOf(input))) ||
      failed(checkUnique({*this, 5}, "dimensions", dimensions)) ||
      failed(checkReducer({*this, 6}, "body", getBody(), typesOf(getInputs(), getInitValues()),
                          getInputs().size())))
    return failure();
  return without(shapeOf(input), dimensions);
}

FailureOr<Shape> ReduceWindowOp::inferShape() {
  if (failed(checkReduced(*this, 1, 2, 3, getInputs(), getInitValues(), getResultTypes())))
    return failure();
  constexpr WindowConstraints kNumbers{6, 7, 8, 9, 10, 11, 12};
  Type input = getInputs()[0].getType();
  Window window;
  window.sizes = dimensionsOf(getWindowDimensions());
  if (failed(checkSize({*this, 4}, "window_dimensions", rankOf(input), window.sizes.size())) ||
      failed(checkPositive({*this, 5}, "window_dimensions", window.sizes)) ||
      failed(readWindow(*this, kNumbers, rankOf(input), getWindowStrides().value_or(nullptr),
                        getBaseDilations().value_or(nullptr),
                        getWindowDilations().value_or(nullptr), getPadding().value_or(nullptr),
                        window)) ||
      failed(checkReducer({*this, 13}, "body", getBody(), typesOf(getInputs(), getInitValues()),
                          getInputs().size())))
    return failure();
  return windowedShape({*this, 15}, shapeOf(input), window);
}

LogicalResult SelectAndScatterOp::verify() {
  constexpr WindowConstraints kNumbers{6, 7, 0, 0, 0, 0, 8};
  Type operand = getOperand().getType(), source = getSource().getType();
  Type init = getInitValue().getType();
  const int64_t rank = rankOf(operand);
  if (failed(checkSameElements({*this, 1}, "operand", operand, "source", source)) ||
      failed(checkSameElements({*this, 3}, "init_value", init, "operand", operand)) ||
      failed(checkShape({*this, 3}, "init_value", {}, shapeOf(init))))
    return failure();
  Window window;
  if (getWindowDimensions())
    window.sizes = dimensionsOf(*getWindowDimensions());
  else
    window.sizes.assign(rank, 1);
  if (failed(checkSize({*this, 4}, "window_dimensions", rank, window.sizes.size())) ||
      failed(checkPositive({*this, 5}, "window_dimensions", window.sizes)) ||
      failed(readWindow(*this, kNumbers, rank, getWindowStrides().value_or(nullptr), nullptr,
                        nullptr, getPadding().value_or(nullptr), window)) ||
      failed(checkArgumentCount({*this, 9}, "select", getSelect(), 2)) ||
      failed(checkGivesPredicate({*this, 9}, "select", getSelect())) ||
      failed(checkReducer({*this, 10}, "scatter", getScatter(), {operand, operand}, 1)))
    return failure();
  const FailureOr<Shape> places = windowedShape({*this, 2}, shapeOf(operand), window);
  return failure(
      failed(places) || failed(checkShape({*this, 2}, "source", *places, shapeOf(source))) ||
      failed(checkShape({*this, 11}, "result", shapeOf(operand), shapeOf(getResult().getType()))));
}

LogicalResult SortOp::verify() {
  if (getInputs().empty()) return violation({*this, 1}) << "at least one input is needed";
  if (getInputs().size() != getResults().size())
    return violation({*this, 2}) << "inputs and results must be as many: found "
                                 << getInputs().size() << " and " << getResults().size();
  Type first = getInputs()[0].getType();
  for (auto [index, types] :
       llvm::enumerate(llvm::zip_equal(getInputs().getTypes(), getResultTypes()))) {
    auto [input, result] = types;
    if (!typesAgree(input, result))
      return violation({*this, 2})
             << "result " << index << " must have the type of its input: found " << input << " and "
             << result;
  }
  if (failed(checkSameShapes({*this, 3}, "inputs", getInputs().getTypes()))) return failure();
  const int64_t rank = rankOf(first), dimension = getDimension();
  if (dimension < -rank || dimension >= rank)
    return violation({*this, 4}) << "dimension must lie in [" << -rank << ", " << rank
                                 << "), found " << dimension;
  return failure(
      failed(checkScalarArguments({*this, 5}, "comparator", getComparator(), getInputs(), 2)) ||
      failed(checkGivesPredicate({*this, 5}, "comparator", getComparator())));
}

LogicalResult MapOp::verify() {
  if (getInputs().empty()) return violation({*this, 2}) << "at least one input is needed";
  Type first = getInputs()[0].getType(), result = getResult().getType();
  for (Type input : getInputs().getTypes())
    if (!shapesAgree(shapeOf(input), shapeOf(result)))
      return violation({*this, 1})
             << "inputs and result must have the same shape: found " << shapeText(shapeOf(input))
             << " and " << shapeText(shapeOf(result));
  Shape dimensions = dimensionsOf(getDimensions());
  Shape all = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(first)));
  if (dimensions != all)
    return violation({*this, 3}) << "dimensions must be " << listText(all) << ", found "
                                 << listText(dimensions);
  Region& computation = getComputation();
  if (failed(checkScalarArguments({*this, 4}, "computation", computation, getInputs(), 1)))
    return failure();
  if (std::optional<TypeRange> yielded = yieldedTypes(computation))
    if (yielded->size() != 1 || !isScalarOf(yielded->front(), result))
      return violation({*this, 4})
             << "computation must give one tensor<" << elementOf(result) << ">";
  return success();
}

LogicalResult BatchNormTrainingOp::verify() {
  return checkBatchNorm(*this, getFeatureIndex(), 2, 7, "output");
}

LogicalResult BatchNormInferenceOp::verify() {
  return checkBatchNorm(*this, getFeatureIndex(), 4, 7, "result");
}

LogicalResult BatchNormGradOp::verify() {
  if (failed(checkBatchNorm(*this, getFeatureIndex(), 3, 3, "grad_operand"))) return failure();
  return checkShape({*this, 3}, "grad_output", shapeOf(getOperand().getType()),
                    shapeOf(getGradOutput().getType()));
}

}  // namespace mlir::stablehlo
