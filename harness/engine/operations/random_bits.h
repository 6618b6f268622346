// Counter-based random bits: Threefry-2x32 with 20 rounds and Philox-4x32 with
// 10, and the way XLA's rng_bit_generator makes tensors of them.
//
// Sources: J. K. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011); for the mapping to tensors, the semantics of XLA's
// RngBitGenerator.
#pragma once

#include <array>
#include <cstdint>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

std::array<uint32_t, 2> threefry2x32(std::array<uint32_t, 2> key, std::array<uint32_t, 2> counter);
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

enum class BitGenerator { kThreefry, kPhilox };

struct RandomBits {
  golden::Tensor state;  // As the state that was given, advanced.
  golden::Tensor values;
};

// `state` is ui64[2] (key, counter) for Threefry; ui64[2] or ui64[3] for Philox
// (key and a 128-bit counter, low half first; with two words the counter is
// reversed, its high half being the key again). ui32[4] is read as ui64[2].
// `type` is an integer of 8 to 64 bits, or a float of as many, which gets the
// bits of that integer; narrow results keep the low bits of 32.
Result<RandomBits> generateBits(BitGenerator generator, const golden::Tensor& state,
                                golden::ElementType type, const golden::Shape& shape,
                                size_t limitBytes = golden::Tensor::kDefaultLimit);

// stablehlo.rng: numbers of a uniform or normal distribution.

enum class Distribution { kUniform, kNormal };

// StableHLO leaves the generator and its seed open. Here the numbers come from
// Philox-4x32-10 with the key `seed` and a counter that starts at 0, so a plan
// gives the same numbers on every run:
//   uniform floats    a + (b - a)·u, u from the highest bits, in [0, 1);
//   uniform integers  a + (bits mod (b - a)), a predicate by its lowest bit;
//   normal            mean a and deviation b, by Box and Muller.
// `a` and `b` are scalars of the result's type.
Result<golden::Tensor> drawNumbers(Distribution distribution, const golden::Tensor& a,
                                   const golden::Tensor& b, const golden::Shape& shape,
                                   uint64_t seed,
                                   size_t limitBytes = golden::Tensor::kDefaultLimit);

}  // namespace vintage::harness
