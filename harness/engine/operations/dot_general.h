// dot_general as a function over tensors, with what it and convolutions multiply and sum by; the
// kernels of dot_general, dot, einsum and ragged_dot call it.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

// The types in which products are summed, and the way into and out of them.
//
// Narrow floats are summed as float, integers modulo 2^32 or 2^64 (which is
// exact in every integer type), predicates as counts.

// The type in which a product of these two types with this result is summed: kF32, kF64, kC64,
// kC128, kUi32 or kUi64. An integer result of float operands is kUnsupported.
Result<golden::ElementType> accumulatorFor(golden::ElementType left, golden::ElementType right,
                                           golden::ElementType result);

// Calls visitor.operator()<float>() … for the accumulator's C++ type.
template <typename Visitor>
decltype(auto) visitAccumulator(golden::ElementType accumulator, Visitor&& visitor) {
  switch (accumulator) {
    case golden::ElementType::kF32:
      return visitor.template operator()<float>();
    case golden::ElementType::kF64:
      return visitor.template operator()<double>();
    case golden::ElementType::kC64:
      return visitor.template operator()<std::complex<float>>();
    case golden::ElementType::kC128:
      return visitor.template operator()<std::complex<double>>();
    case golden::ElementType::kUi32:
      return visitor.template operator()<uint32_t>();
    default:
      return visitor.template operator()<uint64_t>();
  }
}

// The elements of a tensor in the accumulator's type, in the order of permuted dimensions: either
// a view of the tensor's own bytes (it must outlive this) or a converted copy.
class AccumulatorView {
 public:
  // permutation[i] is the dimension of `tensor` that becomes dimension i; empty: they stay.
  AccumulatorView(const golden::Tensor& tensor, golden::ElementType accumulator,
                  std::span<const int64_t> permutation = {});
  template <typename T>
  const T* data() const {
    return reinterpret_cast<const T*>(data_);
  }
  // A copy to change in place; the view follows it.
  golden::Tensor& mutableCopy();

 private:
  const golden::Tensor& tensor_;
  golden::Tensor copy_;
  const std::byte* data_;
};

// Rounds or wraps as many `sums` as `result` has elements into it.
void storeAccumulated(golden::ElementType accumulator, const void* sums, golden::Tensor& result);

// Whether tensors of `type` store the accumulator's elements, so that they can be
// accumulated in place.
bool storesAccumulator(golden::ElementType accumulator, golden::ElementType type);

// Batched dense matrix products, the inner loop of dot_general, convolution
// and einsum.
struct MatrixProduct {
  int64_t batch = 1, rows = 0, columns = 0, inner = 0;
  // The left matrices are [batch, rows, inner], or [batch, inner, rows] where
  // transposed; the right ones [batch, inner, columns] or [batch, columns, inner].
  bool leftTransposed = false, rightTransposed = false;
};

// Writes [batch, rows, columns]; every element is written, zeros where `inner`
// is 0. T: float, double, their complex forms, uint32_t and uint64_t. The
// unsigned integers serve every integer type: sums and products are the same
// modulo 2^32 and 2^64, whatever the sign.
//
// Small products are summed in the order of `inner`; large products of floats
// go to BLAS, which chooses its own order.
template <typename T>
void multiplyMatrices(const MatrixProduct& product, const T* left, const T* right, T* out);

struct DotDimensionNumbers {
  std::vector<int64_t> leftBatch, rightBatch, leftContracting, rightContracting;
};
DotDimensionNumbers readDotDimensions(CheckedAttributes& read);

// The `algorithm` attribute: operands are rounded to `left` and `right` before they are multiplied
// (none: they are not), and sums are kept at least as wide as `accumulation`.
struct DotAlgorithm {
  enum class Rounding { kNone, kBF16, kTF32, kF16 };
  Rounding left = Rounding::kNone, right = Rounding::kNone;
  std::optional<golden::ElementType> accumulation;
};

// A product for given types and shapes of operands; made once where the program states these.
struct DotPlan {
  golden::Shape leftShape, rightShape, shape;  // Of the operands and the result.
  golden::ElementType leftType, rightType, type;
  golden::ElementType accumulator;
  DotAlgorithm algorithm;
  MatrixProduct product;
  // The order of the dimensions in which the product takes each operand.
  std::vector<int64_t> leftOrder, rightOrder;

  bool fits(const golden::Tensor& left, const golden::Tensor& right) const {
    return left.has(leftType, leftShape) && right.has(rightType, rightShape);
  }
};

// Dimensions out of range or of different sizes are kBadInput.
Result<DotPlan> planDot(golden::ElementType leftType, const golden::Shape& left,
                        golden::ElementType rightType, const golden::Shape& right,
                        const DotDimensionNumbers& dimensions, golden::ElementType resultType,
                        const DotAlgorithm& algorithm);
// The operands must fit the plan. kResource if the result is larger than `limitBytes`.
Result<golden::Tensor> runDot(const DotPlan& plan, const golden::Tensor& left,
                              const golden::Tensor& right, size_t limitBytes);

// All in one. The result's dimensions: batch, what is left of `left`, what is left of
// `right`. Dimensions out of range or of different sizes are kBadInput;
// a result of more than `limitBytes` is kResource.
Result<golden::Tensor> dotGeneral(const golden::Tensor& left, const golden::Tensor& right,
                                  const DotDimensionNumbers& dimensions,
                                  golden::ElementType resultType, const DotAlgorithm& algorithm,
                                  size_t limitBytes = golden::Tensor::kDefaultLimit);

}  // namespace vintage::harness
