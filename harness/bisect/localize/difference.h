// Where two values of one operation differ first.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "golden/compare/comparator.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/room.h"

namespace vintage::harness::bisect {

struct ValueDifference {
  size_t output = 0;  // Which of the values.
  std::string index;  // "[1, 2]"
  std::string expected, actual;
  std::optional<int64_t> ulps;  // For floats; none where infinitely far.
  int64_t elements = 0;         // How many differ in that value.
  std::string structure;        // Another type, shape or number of values; the rest is empty then.
};

// None where they are the same under the tolerance: exact where it sets nothing.
// NaN equals NaN.
std::optional<ValueDifference> firstDifference(std::span<const Tensor> expected,
                                               std::span<const Tensor> actual,
                                               const Tolerance& tolerance);
std::string describe(const ValueDifference& difference);

}  // namespace vintage::harness::bisect
