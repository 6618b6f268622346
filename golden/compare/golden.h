// A golden: an artifact's inputs and expected outputs, how they compare, and
// which oracle made them. Kept as one file; the format is docs/reference/golden_format.md.
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

// The outputs of another program for the same inputs. Comparators and noise of the golden do not
// take them for the expected ones: one of the two is wrong, and the golden is in doubt.
struct SecondOpinion {
  std::string by;
  std::vector<Tensor> outputs;  // Of the types and shapes of those expected.
};

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
  std::optional<SecondOpinion> second = std::nullopt;  // None: it agrees, or nobody was asked.
};

// Under the golden's comparators and within its noise. `expected` are its own outputs, or those of
// its second opinion. Texts name the output that they speak of.
Comparison compareWith(const Golden& golden, std::span<const Tensor> expected,
                       std::span<const Tensor> actual);

// "vintage-engine 2026-11-26 gives other values: output 0[3]: expected 2, found 3 (…)"; empty:
// there is no second opinion.
std::string doubtOf(const Golden& golden);

Result<std::vector<std::byte>> writeGolden(const Golden& golden);
Result<Golden> readGolden(std::span<const std::byte> bytes, std::string_view name);

}  // namespace vintage::golden
