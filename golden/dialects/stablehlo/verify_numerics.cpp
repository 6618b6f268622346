// Constraints of linear algebra, Fourier transforms and random numbers.
#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/numerics_ops.h"

namespace mlir::stablehlo {

LogicalResult CholeskyOp::verify() {
  Type a = getA().getType(), result = getResult().getType();
  if (failed(checkSameType({*this, 1}, "a", a, "result", result))) return failure();
  if (rankOf(a) < 2)
    return violation({*this, 2}) << "a must have at least rank 2, found " << rankOf(a);
  ArrayRef<int64_t> matrix = shapeOf(a).take_back(2);
  if (sizesAgree(matrix[0], matrix[1])) return success();
  return violation({*this, 3}) << "matrices must be square, found " << shapeText(matrix);
}

LogicalResult TriangularSolveOp::verify() {
  Type a = getA().getType(), b = getB().getType(), result = getResult().getType();
  if (failed(checkSameElements({*this, 1}, "a", a, "b", b))) return failure();
  if (rankOf(a) != rankOf(b) || rankOf(a) < 2)
    return violation({*this, 2}) << "a and b must have the same rank of at least 2: found "
                                 << rankOf(a) << " and " << rankOf(b);
  ArrayRef<int64_t> left = shapeOf(a).take_back(2), right = shapeOf(b).take_back(2);
  if (!shapesAgree(shapeOf(a).drop_back(2), shapeOf(b).drop_back(2)))
    return violation({*this, 3}) << "batches of a and b must have the same shape: found "
                                 << shapeText(shapeOf(a).drop_back(2)) << " and "
                                 << shapeText(shapeOf(b).drop_back(2));
  const int64_t solved = right[getLeftSide() ? 0 : 1];
  if (!sizesAgree(left[0], left[1]) || !sizesAgree(left[0], solved) || !sizesAgree(left[1], solved))
    return violation({*this, 3}) << "a must hold square matrices of size " << solved << ", found "
                                 << shapeText(left);
  return checkSameType({*this, 4}, "b", b, "result", result);
}

LogicalResult FftOp::verify() {
  Type operand = getOperand().getType(), result = getResult().getType();
  const FftType type = getFftType();
  Shape length = dimensionsOf(getFftLength());
  const int64_t count = length.size(), rank = rankOf(operand);
  if (rank < count)
    return violation({*this, 1}) << "operand must have at least the rank " << count
                                 << " of the transform, found " << rank;
  const bool realOperand = type == FftType::RFFT, realResult = type == FftType::IRFFT;
  const auto floatOf = [](Type tensor, bool real) -> Type {
    auto complex = dyn_cast<ComplexType>(elementOf(tensor));
    return real == (complex == nullptr) ? (real ? elementOf(tensor) : complex.getElementType())
                                        : nullptr;
  };
  Type from = floatOf(operand, realOperand), to = floatOf(result, realResult);
  if (!from || from != to)
    return violation({*this, 2}) << stringifyFftType(type) << " takes "
                                 << (realOperand ? "real" : "complex") << " elements and gives "
                                 << (realResult ? "real" : "complex") << " ones, found " << operand
                                 << " and " << result;
  if (count < 1 || count > 3)
    return violation({*this, 3}) << "fft_length must have 1 to 3 elements, found " << count;
  if (failed(checkRank({*this, 5}, "result", rank, result))) return failure();
  if (realOperand || realResult) {
    ArrayRef<int64_t> real = shapeOf(realOperand ? operand : result).take_back(count);
    if (!shapesAgree(real, length))
      return violation({*this, 4}) << "last dimensions of the real tensor must be fft_length "
                                   << listText(length) << ", found " << shapeText(real);
  }
  Shape expected(shapeOf(operand)), found(shapeOf(result));
  const auto halved = [](int64_t size) {
    return !isKnown(size) || size == 0 ? size : size / 2 + 1;
  };
  if (realOperand) expected.back() = halved(expected.back());
  if (realResult) found.back() = halved(found.back());
  return checkShape({*this, 5}, "result", expected, found);
}

LogicalResult RngOp::verify() {
  Type a = getA().getType(), b = getB().getType(), result = getResult().getType();
  if (failed(checkSameElements({*this, 1}, "a", a, "b", b)) ||
      failed(checkSameElements({*this, 1}, "a", a, "result", result)))
    return failure();
  if (getRngDistribution() == RngDistribution::NORMAL && !isTensorOf(result, kFloat))
    return violation({*this, 2}) << "NORMAL needs floating-point elements, found "
                                 << elementOf(result);
  const int64_t size = shapeOf(getShape().getType())[0];
  if (sizesAgree(size, rankOf(result))) return success();
  return violation({*this, 3}) << "shape must have an element for each of the " << rankOf(result)
                               << " dimensions of result, found " << size;
}

LogicalResult RngBitGeneratorOp::verify() {
  return checkSameType({*this, 1}, "initial_state", getInitialState().getType(), "output_state",
                       getOutputState().getType());
}

}  // namespace mlir::stablehlo
