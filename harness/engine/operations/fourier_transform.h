// Fourier transforms of tensors along any axes: what stablehlo.fft and the
// custom call ducc_fft have in common.
#pragma once

#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

enum class FftType { kComplex, kInverseComplex, kRealToComplex, kComplexToReal };

struct FourierTransform {
  FftType kind = FftType::kComplex;
  // In kRealToComplex and kComplexToReal the last axis is the one that is kept
  // half (length / 2 + 1 complex values).
  std::vector<int64_t> axes;
  std::vector<int64_t> lengths;  // In the time domain, one for each axis.
  long double scale = 1;         // Of the result.
  // kRealToComplex runs forward and kComplexToReal runs inverse.
};

// f32, f64 and their complex types, computed in double and long double and
// rounded once. Axes out of range and lengths that do not fit the operand are
// kBadInput.
Result<Tensor> fourierTransform(const Tensor& operand, const FourierTransform& transform);

}  // namespace vintage::harness::engine
