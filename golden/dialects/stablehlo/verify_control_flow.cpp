// Constraints of control flow and tuples.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/control_flow_ops.h"

namespace mlir::stablehlo {
namespace {

LogicalResult checkTypes(Constraint constraint, StringRef name, TypeRange expected,
                         TypeRange found) {
  if (llvm::equal(expected, found, typesAgree)) return success();
  return violation(constraint) << name << " must be (" << expected << "), found (" << found << ")";
}

LogicalResult checkBranch(Operation* operation, unsigned argumentsNumber, unsigned resultsNumber,
                          StringRef name, Region& branch) {
  if (branch.getNumArguments() != 0)
    return violation({operation, argumentsNumber})
           << name << " must take no arguments, found " << branch.getNumArguments();
  std::optional<TypeRange> yielded = yieldedTypes(branch);
  if (!yielded) return success();
  return checkTypes({operation, resultsNumber}, (name + "'s results").str(),
                    operation->getResultTypes(), *yielded);
}

}  // namespace

LogicalResult IfOp::verify() {
  if (rankOf(getPred().getType()) != 0)
    return violation({*this, 1}) << "pred must be a scalar, found " << getPred().getType();
  return failure(failed(checkBranch(*this, 1, 3, "true_branch", getTrueBranch())) ||
                 failed(checkBranch(*this, 1, 3, "false_branch", getFalseBranch())));
}

LogicalResult CaseOp::verify() {
  if (rankOf(getIndex().getType()) != 0)
    return violation({*this, 1}) << "index must be a scalar, found " << getIndex().getType();
  if (getBranches().empty()) return violation({*this, 1}) << "at least one branch is needed";
  for (auto [index, branch] : llvm::enumerate(getBranches()))
    if (failed(checkBranch(*this, 2, 4, ("branch " + Twine(index)).str(), branch)))
      return failure();
  return success();
}

LogicalResult WhileOp::verify() {
  if (failed(checkTypes({*this, 1}, "arguments of cond", getOperandTypes(),
                        getCond().getArgumentTypes())) ||
      failed(checkGivesPredicate({*this, 1}, "cond", getCond())) ||
      failed(checkTypes({*this, 2}, "arguments of body", getOperandTypes(),
                        getBody().getArgumentTypes())))
    return failure();
  if (std::optional<TypeRange> yielded = yieldedTypes(getBody()))
    if (failed(checkTypes({*this, 2}, "results of body", getOperandTypes(), *yielded)))
      return failure();
  return checkTypes({*this, 3}, "results", getOperandTypes(), getResultTypes());
}

LogicalResult OptimizationBarrierOp::verify() {
  return checkTypes({*this, 1}, "results", getOperandTypes(), getResultTypes());
}

LogicalResult TupleOp::verify() {
  return checkTypes({*this, 1}, "elements of the result", getOperandTypes(),
                    cast<TupleType>(getResult().getType()).getTypes());
}

LogicalResult GetTupleElementOp::verify() {
  auto tuple = cast<TupleType>(getOperand().getType());
  const int64_t index = getIndex();
  if (failed(checkWithin({*this, 1}, "index", {index}, tuple.size()))) return failure();
  return checkTypes({*this, 2}, "result", {tuple.getType(index)}, {getResult().getType()});
}

}  // namespace mlir::stablehlo
