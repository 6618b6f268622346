// Batched dense matrix products, the inner loop of dot_general, convolution
// and einsum.
#pragma once

#include <complex>
#include <cstdint>

#include "harness/engine/room.h"

namespace vintage::harness::engine {

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

}  // namespace vintage::harness::engine
