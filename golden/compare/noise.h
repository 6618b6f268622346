// How far the values of a golden scatter where its program rounds otherwise, and what follows.
//
// Units in the last place say nothing of a composed program: a gradient that cancels may
// differ by millions of them and be right. So the program is run several times with random
// rounding (harness/engine/rounding.h), and each element of an output gets a scale: the
// furthest of these runs from the run without, or the median of that over 16 neighbours
// where it is more, since a few runs may agree by chance. An element whose difference is
// beyond what its comparator allows still passes within kNoiseMultiple scales.
//
// Where the scale is as large as the value, or runs disagree about an integer, a NaN or an
// infinity, the element is not comparable: such a difference is counted and neither a pass
// nor a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

struct Golden;  // golden/compare/golden.h

// Two sound results are apart by √2 deviations of one in the mean; the furthest of five runs
// is 1.5 of them away, and each run moves by more than a rounding does. Real compilers differ by
// more than that: 15 weights of the gradient of a residual network are further than 8 scales from
// JAX 0.12.0.1's, and none is further than 16 (docs/measured/detection_limits.md).
inline constexpr double kNoiseMultiple = 16;

// The scales of one output.
struct NoiseScale {
  // Of type ui8: one for each element, one for all of them (shape []), or none (shape [0]):
  // everywhere 0. See at().
  Tensor codes = Tensor(ElementType::kUi8, {0});
  int64_t lowest = 0;

  // 0: the comparator alone decides (code 0). Infinite: not comparable (code 255).
  // Otherwise 2^((lowest + code - 1) / 2).
  double at(int64_t element) const;
  bool everywhereZero() const { return codes.size() == 0; }

  static NoiseScale of(std::span<const double> scales, const Shape& shape);
};

struct Noise {
  std::vector<int64_t> seeds;       // Of the runs with random rounding.
  std::vector<NoiseScale> outputs;  // One for each.
};

// Measured on `unrounded`, the outputs of a run that rounds to nearest, and `runs`, one with
// each of the seeds. None where no scale exceeds what the comparators allow anyway. Outputs
// that compare by meaning have no scale. kBadInput where a run has other outputs than the
// golden expects.
Result<std::optional<Noise>> noiseOf(const Golden& golden, std::vector<int64_t> seeds,
                                     std::span<const Tensor> unrounded,
                                     std::span<const std::vector<Tensor>> runs);

// The smallest relative error of an element that fails, over the elements of one output.
struct DetectionLimit {
  bool byMeaning = false;  // The comparator looks at no single element; nothing else is set.
  bool exact = false;      // Integers: any difference fails where they are comparable.
  int64_t elements = 0;    // The judged ones: integers, floats that are finite and not zero.
  int64_t notComparable = 0;
  double median = 0, worst = 0;  // Of the comparable ones; 0 where there is none.
  int64_t worstElement = 0;      // The first with that.
};
// For each output of a golden.
std::vector<DetectionLimit> detectionLimits(const Golden& golden);

// "8.1e-06 (worst 3.9e-04; 3 of 128 elements are not comparable)"
std::string describe(const DetectionLimit& limit);
nlohmann::json toJson(std::span<const DetectionLimit> limits);

// The bounds of one element of an output.
struct ElementScale {
  size_t output = 0;
  std::string place, expected;    // "[3, 5]", "0.25"
  bool byMeaning = false;         // The comparator looks at no single element.
  double allowed = 0, scale = 0;  // By the comparator; of the noise.
  bool isComparable = true;       // The scale is less than the value.
};
// `element` counts in row-major order.
ElementScale elementScale(const Golden& golden, size_t output, int64_t element);
// Of the element that is written "0[3, 5]". kUsage where the golden has none.
Result<ElementScale> findElement(const Golden& golden, std::string text);
// "0[3, 5] = 0.25: the comparator allows 1e-07, roundings scatter it by 2e-08; it fails from …"
std::string describe(const ElementScale& element);
nlohmann::json toJson(const ElementScale& element);

}  // namespace vintage::golden
