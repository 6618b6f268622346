// The exact results of programs of StableHLO's test data, from their inputs alone: in MPFR numbers
// of 192 bits or in quadruple precision, by definition, rounded once to the result's type. Shares
// nothing with the engine.
#pragma once

#include <span>

#include "golden/tensor/tensor.h"

namespace vintage::tests {

// From one program's inputs, in order, to its one result.
using ExactResult = golden::Tensor (*)(std::span<const golden::Tensor> inputs);

golden::Tensor exactCosh(std::span<const golden::Tensor> inputs);         // f32
golden::Tensor exactSinh(std::span<const golden::Tensor> inputs);         // f32
golden::Tensor exactComplexSine(std::span<const golden::Tensor> inputs);  // c64
// c64, down the first dimension of a matrix.
golden::Tensor exactCumulativeProduct(std::span<const golden::Tensor> inputs);
// f32: the sums of 3 by 3 elements of a matrix, at each second row and column; a window may reach
// one element beyond the last row and column, where zeros are.
golden::Tensor exactWindowSums(std::span<const golden::Tensor> inputs);
// The real transform of the last dimension.
golden::Tensor exactRealFourier(std::span<const golden::Tensor> inputs);
// To real numbers over the last three dimensions; the last dimension was halved from an even
// length.
golden::Tensor exactRealInverseFourier3d(std::span<const golden::Tensor> inputs);
// f32: X with X A = B. The inputs are A, with only the upper triangle in use, and B, both in
// batches.
golden::Tensor exactUpperSolveFromTheRight(std::span<const golden::Tensor> inputs);

}  // namespace vintage::tests
