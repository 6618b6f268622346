// Dimensions that are unknown when a program is exported, as numbers.
//
// Case declarations compute shapes with plain integers. To write the same case with dimension
// variables, it is declared once more with these numbers in their place. They are so large and so
// far apart that each result shows how it was computed: `2 * kDimensionB + 1` is the dimension 2*b
// + 1. A number that no such expression explains is a plain size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vintage::primitives {

// A prime, so that no width, mask or limit of a type is near a multiple of it.
inline constexpr int64_t kDimensionB = 1'048'573;
inline constexpr int64_t kDimensionC = kDimensionB * kDimensionB;

// constant + b * … + c * … + (b * c) * …
struct SymbolicDimension {
  int64_t constant = 0;
  int64_t b = 0, c = 0, bc = 0;
};

// None: `size` is a number.
std::optional<SymbolicDimension> symbolicDimension(int64_t size);
inline bool isSymbolic(int64_t size) { return symbolicDimension(size).has_value(); }

// As an Exported spells it: "2*b + 1", "b*c"; the number where it is one.
std::string dimensionText(int64_t size);

}  // namespace vintage::primitives
