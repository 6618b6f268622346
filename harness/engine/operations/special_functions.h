// The factories of CHLO operations that are not elementwise.
#pragma once

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

Result<Kernel> makeChloConstant(const KernelRequest& request);
Result<Kernel> makeConstantLike(const KernelRequest& request);
Result<Kernel> makeRaggedDot(const KernelRequest& request);
Result<Kernel> makeScan(const KernelRequest& request);
Result<Kernel> makeTopK(const KernelRequest& request);

// The largest (or smallest) values along one dimension, with their places.

struct TopK {
  int64_t dimension = 0;
  int64_t count = 0;  // At most the dimension's size.
  bool largest = true;
};

// Positions along `dimension`, best first, equal values in their own order:
// an i32 tensor of the operand's shape with `count` in that dimension. Floats
// are in total order: -NaN < -inf < … < -0 < +0 < … < inf < NaN. Complex
// operands are kBadInput.
Result<Tensor> topKPositions(const Tensor& operand, const TopK& topK);

// The elements of `operand` at those positions.
Result<Tensor> takeAtPositions(const Tensor& operand, const Tensor& positions, int64_t dimension);

}  // namespace vintage::harness::engine
