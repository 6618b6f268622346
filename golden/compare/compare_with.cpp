#include <algorithm>

#include <fmt/format.h>

#include "golden/compare/golden.h"
#include "golden/compare/open_values.h"

namespace vintage::golden {

Comparison compareWith(const Golden& golden, std::span<const Tensor> expected,
                       std::span<const Tensor> actual) {
  Comparison all;
  const bool together = golden.comparators.size() == 1;
  if (actual.size() != expected.size()) {
    all.differ(fmt::format("{} outputs came out, {} are expected", actual.size(), expected.size()));
    return all;
  }
  if (!together && golden.comparators.size() != expected.size()) {
    all.differ(
        fmt::format("the golden has {} comparators for {} outputs; one, or one for "
                    "each output, would tell when they are the same",
                    golden.comparators.size(), expected.size()));
    return all;
  }
  const std::span<const NoiseScale> noise = golden.noise
                                                ? std::span<const NoiseScale>(golden.noise->outputs)
                                                : std::span<const NoiseScale>();
  for (size_t i = 0; i < golden.comparators.size(); ++i) {
    const Comparator& comparator = golden.comparators[i];
    const size_t from = together ? 0 : i, count = together ? expected.size() : 1;
    const Comparison one = compareOutputs(comparator, golden.inputs, expected.subspan(from, count),
                                          actual.subspan(from, count),
                                          noise.empty() ? noise : noise.subspan(from, count));
    const auto keep = [&](std::string& first, const std::string& found, const std::string& more) {
      if (first.empty() && !found.empty())
        first = fmt::format("{}{}{}", together ? "" : fmt::format("output {}: ", i), found, more);
    };
    keep(all.firstDifference, one.firstDifference, "");
    keep(all.firstNotComparable, one.firstNotComparable, "");
    keep(all.permittedDifference, one.permittedDifference, "; " + openText(comparator.open));
    all.differingElements += one.differingElements;
    all.withinNoise += one.withinNoise;
    all.notComparable += one.notComparable;
    all.largestAbsolute = std::max(all.largestAbsolute, one.largestAbsolute);
    all.largestRelative = std::max(all.largestRelative, one.largestRelative);
    all.largestUlps = std::max(all.largestUlps, one.largestUlps);
  }
  all.same = all.differingElements == 0;
  return all;
}

std::string doubtOf(const Golden& golden) {
  if (!golden.second) return "";
  return fmt::format("{} gives other values: {}", golden.second->by,
                     compareWith(golden, golden.expected, golden.second->outputs).firstDifference);
}

}  // namespace vintage::golden
