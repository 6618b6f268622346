// Constraints of the reductions and of what slides a window.
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
    return violation(operation, countNumber)
           << "inputs, init_values and results must be as many and at least one: found "
           << inputs.size() << ", " << inits.size() << " and " << results.size();
  for (size_t k = 0; k < inputs.size(); ++k) {
    Type input = inputs[k].getType(), init = inits[k].getType();
    if (!shapesAgree(shapeOf(input), shapeOf(inputs[0].getType())))
      return violation(operation, shapeNumber)
             << "inputs must have the same shape: input 0 has "
             << shapeText(shapeOf(inputs[0].getType())) << ", input " << k << " has "
             << shapeText(shapeOf(input));
    if (!elementsAgree(input, init))
      return violation(operation, elementNumber)
             << "init_values must have the element type of inputs: input " << k << " has "
             << elementOf(input) << ", its initial value has " << elementOf(init);
    // A result can be wider than its input.
    auto result = dyn_cast<RankedTensorType>(results[k]);
    if (!result || !isPromotable(elementOf(input), elementOf(result)))
      return violation(operation, elementNumber)
             << "results must have the element type of inputs: input " << k << " has "
             << elementOf(input) << ", its result is " << results[k];
  }
  return success();
}

llvm::SmallVector<Type> typesOf(ValueRange first, ValueRange second) {
  llvm::SmallVector<Type> types(first.getTypes());
  llvm::append_range(types, second.getTypes());
  return types;
}

}  // namespace

LogicalResult ReduceOp::verify() {
  if (failed(checkReduced(*this, 3, 1, 2, getInputs(), getInitValues(), getResultTypes())))
    return failure();
  Type input = getInputs()[0].getType();
  Shape dimensions = dimensionsOf(getDimensions());
  if (failed(checkWithin(*this, 4, "dimensions", dimensions, rankOf(input))) ||
      failed(checkUnique(*this, 5, "dimensions", dimensions)) ||
      failed(checkReducer(*this, 6, "body", getBody(), typesOf(getInputs(), getInitValues()),
                          getInputs().size())))
    return failure();
  Shape expected;
  for (auto [d, size] : llvm::enumerate(shapeOf(input)))
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(d))) expected.push_back(size);
  for (Type result : getResultTypes())
    if (failed(checkShape(*this, 7, "result", expected, shapeOf(result)))) return failure();
  return success();
}

LogicalResult ReduceWindowOp::verify() {
  if (failed(checkReduced(*this, 1, 2, 3, getInputs(), getInitValues(), getResultTypes())))
    return failure();
  constexpr WindowConstraints kNumbers{6, 7, 8, 9, 10, 11, 12};
  Type input = getInputs()[0].getType();
  Window window;
  window.sizes = dimensionsOf(getWindowDimensions());
  if (failed(checkSize(*this, 4, "window_dimensions", rankOf(input), window.sizes.size())) ||
      failed(checkPositive(*this, 5, "window_dimensions", window.sizes)) ||
      failed(readWindow(*this, kNumbers, rankOf(input), getWindowStrides().value_or(nullptr),
                        getBaseDilations().value_or(nullptr),
                        getWindowDilations().value_or(nullptr), getPadding().value_or(nullptr),
                        window)) ||
      failed(checkReducer(*this, 13, "body", getBody(), typesOf(getInputs(), getInitValues()),
                          getInputs().size())))
    return failure();
  Shape expected;
  if (failed(windowedShape(*this, 15, shapeOf(input), window, expected))) return failure();
  for (Type result : getResultTypes())
    if (failed(checkShape(*this, 15, "result", expected, shapeOf(result)))) return failure();
  return success();
}

LogicalResult SelectAndScatterOp::verify() {
  constexpr WindowConstraints kNumbers{6, 7, 0, 0, 0, 0, 8};
  Type operand = getOperand().getType(), source = getSource().getType();
  Type init = getInitValue().getType();
  const int64_t rank = rankOf(operand);
  if (failed(checkSameElements(*this, 1, "operand", operand, "source", source)) ||
      failed(checkSameElements(*this, 3, "init_value", init, "operand", operand)) ||
      failed(checkShape(*this, 3, "init_value", {}, shapeOf(init))))
    return failure();
  Window window;
  if (getWindowDimensions())
    window.sizes = dimensionsOf(*getWindowDimensions());
  else
    window.sizes.assign(rank, 1);
  if (failed(checkSize(*this, 4, "window_dimensions", rank, window.sizes.size())) ||
      failed(checkPositive(*this, 5, "window_dimensions", window.sizes)) ||
      failed(readWindow(*this, kNumbers, rank, getWindowStrides().value_or(nullptr), nullptr,
                        nullptr, getPadding().value_or(nullptr), window)))
    return failure();
  if (getSelect().getNumArguments() != 2)
    return violation(*this, 9) << "select must take 2 arguments, found "
                               << getSelect().getNumArguments();
  if (std::optional<TypeRange> yielded = yieldedTypes(getSelect()))
    if (yielded->size() != 1 || !isTensorOfRank(yielded->front(), 0, kBool))
      return violation(*this, 9) << "select must give one tensor<i1>";
  if (failed(checkReducer(*this, 10, "scatter", getScatter(), {operand, operand}, 1)))
    return failure();
  Shape expected;
  if (failed(windowedShape(*this, 2, shapeOf(operand), window, expected)) ||
      failed(checkShape(*this, 2, "source", expected, shapeOf(source))))
    return failure();
  return checkShape(*this, 11, "result", shapeOf(operand), shapeOf(getResult().getType()));
}

}  // namespace mlir::stablehlo
