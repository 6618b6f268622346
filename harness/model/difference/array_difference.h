// How two lists of arrays differ: which, by how much, and where most.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/tensor/tensor.h"
#include "harness/model/array_files.h"

namespace vintage::harness {

struct ArrayDifference {
  std::string name;  // "output 0", or what its file calls it.
  // "f32[3] and f32[4]", "only in the first"; then nothing of its elements is said.
  std::string typesDiffer;
  std::string type;
  int64_t elements = 0, differing = 0;
  double largestAbsolute = 0, largestRelative = 0;
  int64_t largestUlps = 0;
  struct Place {
    std::string index, first, second;  // "[0, 5]" and both values.
  };
  std::vector<Place> furthest;
  bool same() const { return typesDiffer.empty() && differing == 0; }
};

// Those that differ, the one with the largest difference first. Arrays of one name are compared;
// a NaN is the same as any NaN.
std::vector<ArrayDifference> compareArrays(std::span<const NamedArray> first,
                                           std::span<const NamedArray> second, size_t places = 3);

// "output 0", "output 1", …
std::vector<NamedArray> named(const char* what, std::span<const golden::Tensor> tensors);

std::string textOf(std::span<const ArrayDifference> arrays);
nlohmann::json toJson(std::span<const ArrayDifference> arrays);

}  // namespace vintage::harness
