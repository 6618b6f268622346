// Constraints of the elementwise operations.

#include "golden/dialects/stablehlo/binary_ops.h"
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/unary_ops.h"

namespace mlir::stablehlo {
namespace {

// The elements of a tensor of the absolute values or parts of `type`'s elements.
Type realElementOf(Type type) {
  Type element = expressedElementOf(type);
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

LogicalResult verifyResultElement(Constraint constraint, Type expected) {
  Type result = constraint.operation->getResult(0).getType();
  if (expressedElementOf(result) == expected) return success();
  return violation(constraint) << "element type of the result must be " << expected
                               << " for operand " << constraint.operation->getOperand(0).getType()
                               << ", found " << elementOf(result);
}

// All operands and the one result have the same shape (operation_c1).
LogicalResult verifySameShapes(Operation* operation) {
  Type result = operation->getResult(0).getType();
  for (auto [index, operand] : llvm::enumerate(operation->getOperandTypes()))
    if (!shapesAgree(shapeOf(operand), shapeOf(result)))
      return violation({operation, 1})
             << "operands and result must have the same shape: operand " << index << " has "
             << shapeText(shapeOf(operand)) << ", the result has " << shapeText(shapeOf(result));
  return success();
}

}  // namespace

LogicalResult verifySameTypes(Operation* operation) {
  Type result = operation->getResult(0).getType();
  for (auto [index, operand] : llvm::enumerate(operation->getOperandTypes()))
    if (!elementsAgree(operand, result))
      return violation({operation, 1})
             << "operands and result must have the same element type: operand " << index << " has "
             << elementOf(operand) << ", the result has " << elementOf(result);
  return verifySameShapes(operation);
}

LogicalResult verifyUnary(Operation* operation) {
  Type operand = operation->getOperand(0).getType();
  const bool isPart = isa<AbsOp, RealOp, ImagOp>(operation);
  const bool isQuantized = isa<UniformQuantizeOp, UniformDequantizeOp>(operation);
  if (!isPart && !isQuantized && !isa<ConvertOp>(operation)) return verifySameTypes(operation);
  if (failed(verifySameShapes(operation))) return failure();
  if (isa<ConvertOp>(operation)) return success();
  return verifyResultElement({operation, 2},
                             isPart ? realElementOf(operand) : expressedElementOf(operand));
}

LogicalResult IsFiniteOp::verify() { return verifySameShapes(*this); }

LogicalResult ReducePrecisionOp::verify() { return verifySameTypes(*this); }

LogicalResult BitcastConvertOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const unsigned from = bitsOf(elementOf(operand)), to = bitsOf(elementOf(result));
  Shape wide(shapeOf(from >= to ? operand : result));
  ArrayRef<int64_t> narrow = shapeOf(from >= to ? result : operand);
  // Narrower elements have one more dimension, which holds the parts of a wide one.
  if (from != to) wide.push_back(std::max(from, to) / std::min(from, to));
  if (std::max(from, to) % std::min(from, to) == 0 && shapesAgree(wide, narrow)) return success();
  return violation({*this, 1}) << "operand " << operand << " of " << from
                               << "-bit elements does not hold result " << result << " of " << to
                               << "-bit elements";
}

LogicalResult SelectOp::verify() {
  Type predicate = getPred().getType(), onTrue = getOnTrue().getType();
  if (failed(checkScalarOrSameShape({*this, 1}, "pred", predicate, "on_true", onTrue)))
    return failure();
  for (Type other : {Type(getOnFalse().getType()), Type(getResult().getType())})
    if (!typesAgree(onTrue, other))
      return violation({*this, 2})
             << "on_true, on_false and result must have the same type: found " << onTrue << ", "
             << getOnFalse().getType() << " and " << getResult().getType();
  return success();
}

LogicalResult ClampOp::verify() {
  Type operand = getOperand().getType();
  return failure(
      failed(checkScalarOrSameShape({*this, 1}, "min", getMin().getType(), "operand", operand)) ||
      failed(checkScalarOrSameShape({*this, 2}, "max", getMax().getType(), "operand", operand)) ||
      failed(checkSameElements({*this, 3}, "min", getMin().getType(), "operand", operand)) ||
      failed(checkSameElements({*this, 3}, "max", getMax().getType(), "operand", operand)) ||
      failed(checkSameType({*this, 4}, "operand", operand, "result", getResult().getType())));
}

LogicalResult CompareOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  // compare_c3, which types of comparison suit which elements, is enforced as upstream does: for
  // the newest. Released programs break it for the others.
  if (getCompareType() == ComparisonType::WEAKORDER && !isa<FloatType>(elementOf(lhs)))
    return violation({*this, 3}) << "WEAKORDER compares floats, found " << lhs;
  return failure(
      failed(checkSameElements({*this, 1}, "lhs", lhs, "rhs", rhs)) ||
      failed(checkShape({*this, 2}, "rhs", shapeOf(lhs), shapeOf(rhs))) ||
      failed(checkShape({*this, 2}, "result", shapeOf(lhs), shapeOf(getResult().getType()))));
}

LogicalResult ComplexOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType(), result = getResult().getType();
  if (failed(checkSameType({*this, 1}, "lhs", lhs, "rhs", rhs)) ||
      failed(checkShape({*this, 2}, "result", shapeOf(lhs), shapeOf(result))))
    return failure();
  if (realElementOf(result) != elementOf(lhs))
    return violation({*this, 3}) << "element type of the result must be complex<" << elementOf(lhs)
                                 << ">, found " << elementOf(result);
  return success();
}

}  // namespace mlir::stablehlo
