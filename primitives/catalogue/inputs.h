// Inputs of cases, made from a seed: the same on every machine.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "golden/tensor/tensor.h"

namespace vintage::primitives {

// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next();
  double uniform();                            // [0, 1), 53 bits
  int64_t integer(int64_t low, int64_t high);  // Both included.

 private:
  uint64_t state_;
};

// FNV-1a of a text, for seeds.
uint64_t hashOf(std::string_view text);

// The values of one argument.
struct Domain {
  double low = -5, high = 5;  // The random values' range; integers include both ends.
  // Edges of the type come first, as far as they are in [edgeLow, edgeHigh] and NaN is wanted. If
  // the tensor is large enough, every combination of two arguments' edges occurs.
  enum class Edges : uint8_t { kNone, kFew, kAll } edges = Edges::kNone;
  double edgeLow = -std::numeric_limits<double>::infinity();
  double edgeHigh = std::numeric_limits<double>::infinity();
  bool nan = true;
  bool wholeNumbers = false;  // Floats, too.
  bool zero = true;           // Otherwise zeros become ones.
  bool distinct = false;      // A permutation of equally spaced values.
  // Complex numbers get edges, too: every pair of the few edges of their parts.
  bool complexEdges = false;
};

namespace domains {
inline constexpr Domain kPlain{};
inline constexpr Domain kAllEdges{.edges = Domain::Edges::kAll};
inline constexpr Domain kFewEdges{.edges = Domain::Edges::kFew};
// For functions that only move, negate or add, and so are exact for complex edges as well.
inline constexpr Domain kComplexEdges{.edges = Domain::Edges::kFew, .complexEdges = true};
// Few different values, so that ties are common.
inline constexpr Domain kTies{.low = -3, .high = 3, .wholeNumbers = true};
inline constexpr Domain kSmall{.low = -2, .high = 2};
}  // namespace domains

// The edges that `domain` admits, as doubles for floats and integers as far as
// they are exact there; see inputs.cpp for the integers.
golden::Tensor makeInput(golden::ElementType type, const golden::Shape& shape, const Domain& domain,
                         Random& random, size_t argument = 0);

}  // namespace vintage::primitives
