// Inputs that a seed gives, so that a golden need not hold their elements.
//
// Element i, in row-major order, is k * 2^exponent, where k is an integer from low to high:
//
//   k = low + (word(i) mod (high - low + 1))
//   word(i) = the upper 32 bits of output i of SplitMix64 that is started with `seed`
//
// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (OOPSLA 2014);
// its constants and test values are those of Vigna's splitmix64.c. The producers compute the same
// with NumPy (harness/runtimes/python/vintage_python/producing/seeded_inputs.py). All of it is
// integer arithmetic and each element is exact in its type, so that no library can differ.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

struct SeededInput {
  uint64_t seed = 0;
  int64_t low = 0, high = 0;  // Both inside the range.
  int exponent = 0;           // 0 for integers.
};

// Of all inputs of one golden that are given by seeds together: a file of a few bytes asks for no
// more memory than this.
inline constexpr size_t kMostSeededBytes = size_t{64} << 20;

// kBadInput where a dtype other than integers of 8 bits and more, f16, bf16, f32 and f64 is asked
// for, where the range is empty or has values that the dtype cannot hold exactly, or where the
// tensor takes more than `limitBytes`.
Result<Tensor> seededTensor(const SeededInput& input, ElementType type, Shape shape,
                            size_t limitBytes = kMostSeededBytes);

// As docs/reference/golden_format.md describes it. kUnsupported where the algorithm is another one.
nlohmann::json seededInputJson(const SeededInput& input);
Result<SeededInput> seededInputOfJson(const nlohmann::json& json);

}  // namespace vintage::golden
