// What programs of StableHLO's test data compute, from their inputs alone: in
// MPFR numbers of 192 bits or in quadruple precision, by definition, rounded
// once to the result's type. Nothing here is shared with the engine.
#pragma once

#include <span>

#include "golden/tensor/tensor.h"

namespace vintage::tests {

// Of one program: its inputs, in order, to its one result.
using ExactResult = golden::Tensor (*)(std::span<const golden::Tensor> inputs);

golden::Tensor exactCosh(std::span<const golden::Tensor> inputs);         // f32
golden::Tensor exactSinh(std::span<const golden::Tensor> inputs);         // f32
golden::Tensor exactComplexSine(std::span<const golden::Tensor> inputs);  // c64
// c64, down the first dimension of a matrix.
golden::Tensor exactCumulativeProduct(std::span<const golden::Tensor> inputs);
// The real transform of the last dimension.
golden::Tensor exactRealFourier(std::span<const golden::Tensor> inputs);
// To real numbers over the last three dimensions, the last of which was halved
// from an even length.
golden::Tensor exactRealInverseFourier3d(std::span<const golden::Tensor> inputs);
// f32: X with X A = B, where inputs are A, of which the upper triangle counts,
// and B, both in batches.
golden::Tensor exactUpperSolveFromTheRight(std::span<const golden::Tensor> inputs);

}  // namespace vintage::tests
