// Constraints of the elementwise operations.

#include "golden/dialects/stablehlo/binary_ops.h"
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/unary_ops.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace mlir::stablehlo {
namespace {

// The elements of a tensor of the absolute values or parts of `type`'s elements.
Type realElementOf(Type type) {
  Type element = expressedElementOf(type);
  auto complex = dyn_cast<ComplexType>(element);
  return complex ? complex.getElementType() : element;
}

LogicalResult verifyResultElement(Operation* operation, unsigned number, Type expected) {
  Type result = operation->getResult(0).getType();
  if (expressedElementOf(result) == expected) return success();
  return violation(operation, number)
         << "element type of the result must be " << expected << " for operand "
         << operation->getOperand(0).getType() << ", found " << elementOf(result);
}

int64_t bitsOf(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element)) return 2 * bitsOf(complex.getElementType());
  if (auto quantized = dyn_cast<quant::QuantizedType>(element))
    return quantized.getStorageTypeIntegralWidth();
  return element.getIntOrFloatBitWidth();
}

}  // namespace

LogicalResult verifySameShapes(Operation* operation) {
  Type result = operation->getResult(0).getType();
  for (auto [index, operand] : llvm::enumerate(operation->getOperandTypes()))
    if (!shapesAgree(shapeOf(operand), shapeOf(result)))
      return violation(operation, 1)
             << "operands and result must have the same shape: operand " << index << " has "
             << shapeText(shapeOf(operand)) << ", the result has " << shapeText(shapeOf(result));
  return success();
}

LogicalResult verifySameTypes(Operation* operation) {
  Type result = operation->getResult(0).getType();
  for (auto [index, operand] : llvm::enumerate(operation->getOperandTypes()))
    if (!elementsAgree(operand, result))
      return violation(operation, 1)
             << "operands and result must have the same element type: operand " << index << " has "
             << elementOf(operand) << ", the result has " << elementOf(result);
  return verifySameShapes(operation);
}

LogicalResult verifyUnary(Operation* operation) {
  Type operand = operation->getOperand(0).getType();
  if (isa<ConvertOp>(operation)) return verifySameShapes(operation);
  if (isa<RealOp, ImagOp>(operation))
    return success(succeeded(verifySameShapes(operation)) &&
                   succeeded(verifyResultElement(operation, 2, realElementOf(operand))));
  if (isa<AbsOp>(operation))
    return success(succeeded(verifySameShapes(operation)) &&
                   succeeded(verifyResultElement(operation, 2, realElementOf(operand))));
  if (isa<UniformQuantizeOp, UniformDequantizeOp>(operation))
    return success(succeeded(verifySameShapes(operation)) &&
                   succeeded(verifyResultElement(operation, 2, expressedElementOf(operand))));
  return verifySameTypes(operation);
}

LogicalResult IsFiniteOp::verify() { return verifySameShapes(*this); }

LogicalResult ReducePrecisionOp::verify() { return verifySameTypes(*this); }

LogicalResult BitcastConvertOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const int64_t from = bitsOf(elementOf(operand)), to = bitsOf(elementOf(result));
  Shape wide(shapeOf(from >= to ? operand : result));
  llvm::ArrayRef<int64_t> narrow = shapeOf(from >= to ? result : operand);
  // Narrower elements have one more dimension, which holds the parts of a wide one.
  if (from != to) wide.push_back(std::max(from, to) / std::min(from, to));
  if (std::max(from, to) % std::min(from, to) == 0 && shapesAgree(wide, narrow)) return success();
  return violation(*this, 1) << "operand " << operand << " of " << from
                             << "-bit elements does not hold result " << result << " of " << to
                             << "-bit elements";
}

LogicalResult SelectOp::verify() {
  Type predicate = getPred().getType(), onTrue = getOnTrue().getType();
  if (rankOf(predicate) != 0 && !shapesAgree(shapeOf(predicate), shapeOf(onTrue)))
    return violation(*this, 1) << "pred must be a scalar or have the shape of on_true: pred has "
                               << shapeText(shapeOf(predicate)) << ", on_true has "
                               << shapeText(shapeOf(onTrue));
  for (Type other : {Type(getOnFalse().getType()), Type(getResult().getType())})
    if (!typesAgree(onTrue, other))
      return violation(*this, 2) << "on_true, on_false and result must have the same type: found "
                                 << onTrue << ", " << getOnFalse().getType() << " and "
                                 << getResult().getType();
  return success();
}

LogicalResult ClampOp::verify() {
  Type operand = getOperand().getType();
  const auto fits = [&](Type bound) {
    return rankOf(bound) == 0 || shapesAgree(shapeOf(bound), shapeOf(operand));
  };
  if (!fits(getMin().getType()))
    return violation(*this, 1) << "min must be a scalar or have the shape of operand: min has "
                               << shapeText(shapeOf(getMin().getType())) << ", operand has "
                               << shapeText(shapeOf(operand));
  if (!fits(getMax().getType()))
    return violation(*this, 2) << "max must be a scalar or have the shape of operand: max has "
                               << shapeText(shapeOf(getMax().getType())) << ", operand has "
                               << shapeText(shapeOf(operand));
  if (failed(checkSameElements(*this, 3, "min", getMin().getType(), "operand", operand)) ||
      failed(checkSameElements(*this, 3, "max", getMax().getType(), "operand", operand)))
    return failure();
  if (!typesAgree(operand, getResult().getType()))
    return violation(*this, 4) << "operand and result must have the same type: found " << operand
                               << " and " << getResult().getType();
  return success();
}

LogicalResult CompareOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType();
  if (failed(checkSameElements(*this, 1, "lhs", lhs, "rhs", rhs)) ||
      failed(checkShape(*this, 2, "rhs", shapeOf(lhs), shapeOf(rhs))) ||
      failed(checkShape(*this, 2, "result", shapeOf(lhs), shapeOf(getResult().getType()))))
    return failure();
  // compare_c3, which types of comparison suit which elements, is not enforced:
  // upstream does not, and released programs break it.
  return success();
}

LogicalResult ComplexOp::verify() {
  Type lhs = getLhs().getType(), rhs = getRhs().getType(), result = getResult().getType();
  if (!typesAgree(lhs, rhs))
    return violation(*this, 1) << "lhs and rhs must have the same type: found " << lhs << " and "
                               << rhs;
  if (failed(checkShape(*this, 2, "result", shapeOf(lhs), shapeOf(result)))) return failure();
  if (realElementOf(result) != elementOf(lhs))
    return violation(*this, 3) << "element type of the result must be complex<" << elementOf(lhs)
                               << ">, found " << elementOf(result);
  return success();
}

}  // namespace mlir::stablehlo
