// stablehlo.rng: numbers of a uniform or normal distribution.
#pragma once

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

enum class Distribution { kUniform, kNormal };

// StableHLO leaves the generator and its seed open. Here the numbers come from
// Philox-4x32-10 with the key `seed` and a counter that starts at 0, so a plan
// gives the same numbers on every run:
//   uniform floats    a + (b - a)·u, u from the highest bits, in [0, 1);
//   uniform integers  a + (bits mod (b - a)), a predicate by its lowest bit;
//   normal            mean a and deviation b, by Box and Muller.
// `a` and `b` are scalars of the result's type.
Result<Tensor> drawNumbers(Distribution distribution, const Tensor& a, const Tensor& b,
                           const Shape& shape, uint64_t seed,
                           size_t limitBytes = Tensor::kDefaultLimit);

}  // namespace vintage::harness::engine
