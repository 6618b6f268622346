// dot_general as a function over tensors; what the kernels of dot_general,
// dot, einsum and ragged_dot call.
#pragma once

#include <optional>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
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

// The result's dimensions: batch, what is left of `left`, what is left of
// `right`. Dimensions out of range or of different sizes are kBadInput;
// a result of more than `limitBytes` is kResource.
Result<Tensor> dotGeneral(const Tensor& left, const Tensor& right,
                          const DotDimensionNumbers& dimensions, ElementType resultType,
                          const DotAlgorithm& algorithm, size_t limitBytes = Tensor::kDefaultLimit);

}  // namespace vintage::harness::engine
