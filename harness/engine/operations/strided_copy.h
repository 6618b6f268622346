// Copies of N-dimensional arrays with any strides: what transposing, slicing,
// broadcasting, reversing, padding and concatenating have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "golden/tensor/tensor.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

// A view of elements: `data` is the element at index 0 of every dimension;
// strides are in elements and may be 0 or negative.
struct StridedSource {
  const std::byte* data;
  std::vector<int64_t> strides;
};
struct StridedTarget {
  std::byte* data;
  std::vector<int64_t> strides;
};

// Copies `shape` elements of `width` bytes. Source and target do not overlap.
void stridedCopy(std::span<const int64_t> shape, size_t width, StridedSource source,
                 StridedTarget target);

// In elements; those of a dense row-major array.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape);

// Fills with copies of one element.
void fill(std::span<std::byte> bytes, std::span<const std::byte> element);

// Steps through all indices of `shape` in row-major order; false after the last.
bool nextIndex(std::span<const int64_t> shape, std::span<int64_t> index);

}  // namespace vintage::harness::engine
