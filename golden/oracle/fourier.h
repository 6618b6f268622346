// Discrete Fourier transforms by their sums, in quadruple precision.
#pragma once

#include "golden/oracle/number.h"
#include "golden/oracle/room.h"

namespace vintage::golden::oracle {

enum class FourierKind { kForward, kInverse, kRealForward, kRealInverse };

// Along the last `lengths.size()` dimensions, of these lengths. A real inverse
// takes the half of a spectrum that a real forward transform leaves.
Tensor fourier(const Tensor& operand, FourierKind kind, std::span<const int64_t> lengths);

}  // namespace vintage::golden::oracle
