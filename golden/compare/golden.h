// A golden: an artifact's inputs and expected outputs, how they compare, and
// which oracle made them. Kept as one file; the format is docs/golden_format.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/compare/comparator.h"
#include "golden/compare/seeded_inputs.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

struct Golden {
  std::vector<Tensor> inputs;
  // The seeds of inputs: the file holds a seed instead of the elements. Empty: no input has one.
  std::vector<std::optional<SeededInput>> seeds;
  std::vector<Tensor> expected;
  // One comparator over all outputs, or one for each output.
  std::vector<Comparator> comparators;
  // The source of `expected`: "mpfr", "exact", "definition", "jax 0.4.14 cpu", …
  std::string oracle;
  // How far the values scatter by rounding. None: it was not measured, or is less than what the
  // comparators allow.
  std::optional<Noise> noise = std::nullopt;
};

Result<std::vector<std::byte>> writeGolden(const Golden& golden);
Result<Golden> readGolden(std::span<const std::byte> bytes, std::string_view name);

}  // namespace vintage::golden
