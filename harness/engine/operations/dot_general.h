// dot_general as a function over tensors; what the kernels of dot_general,
// dot, einsum and ragged_dot call.
#pragma once

#include <optional>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/operations/dot_accumulator.h"
#include "harness/engine/operations/dot_matrix_multiply.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

struct DotDimensionNumbers {
  std::vector<int64_t> leftBatch, rightBatch, leftContracting, rightContracting;
};

// What the `algorithm` attribute changes: operands are rounded to `left` and
// `right` before they are multiplied (none: they are not), and sums are kept
// at least as wide as `accumulation`.
struct DotAlgorithm {
  enum class Rounding { kNone, kBF16, kTF32, kF16 };
  Rounding left = Rounding::kNone, right = Rounding::kNone;
  std::optional<ElementType> accumulation;
};

// What follows from the types and shapes of the operands: made once where a
// program tells them.
struct DotPlan {
  Shape leftShape, rightShape, shape;  // Of the operands and the result.
  ElementType leftType, rightType, type;
  DotAccumulator accumulator;
  DotAlgorithm algorithm;
  MatrixProduct product;
  // The order of the dimensions in which the product takes each operand.
  std::vector<int64_t> leftOrder, rightOrder;

  bool fits(const Tensor& left, const Tensor& right) const {
    return left.has(leftType, leftShape) && right.has(rightType, rightShape);
  }
};

// Dimensions out of range or of different sizes are kBadInput.
Result<DotPlan> planDot(ElementType leftType, const Shape& left, ElementType rightType,
                        const Shape& right, const DotDimensionNumbers& dimensions,
                        ElementType resultType, const DotAlgorithm& algorithm);
// Operands that fit the plan, and a result of its type and shape, every element of
// which is written.
void runDot(const DotPlan& plan, const Tensor& left, const Tensor& right, Tensor& result);

// All in one. The result's dimensions: batch, what is left of `left`, what is left of
// `right`. Dimensions out of range or of different sizes are kBadInput;
// a result of more than `limitBytes` is kResource.
Result<Tensor> dotGeneral(const Tensor& left, const Tensor& right,
                          const DotDimensionNumbers& dimensions, ElementType resultType,
                          const DotAlgorithm& algorithm, size_t limitBytes = Tensor::kDefaultLimit);

}  // namespace vintage::harness::engine
