#include "harness/bisect/localize/difference.h"

#include <fmt/format.h>

#include "golden/compare/comparator_kinds.h"
#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"

namespace vintage::harness::bisect {
namespace {

Comparison compare(const Tolerance& tolerance, const Tensor& expected, const Tensor& actual) {
  Comparison comparison;
  const bool exact = !tolerance.absolute && !tolerance.relative && !tolerance.ulps;
  if (exact || !(isFloat(expected.type()) || isComplex(expected.type())))
    compareExactly(expected, actual, "", comparison);
  else
    compareElements(tolerance, expected, actual, "", comparison);
  return comparison;
}

Tensor elementOf(const Tensor& tensor, int64_t index) {
  const size_t width = byteWidth(tensor.type());
  auto element = Tensor::fromBytes(
      tensor.type(), {}, tensor.bytes().subspan(static_cast<size_t>(index) * width, width));
  return element ? *element : Tensor();
}

}  // namespace

std::optional<ValueDifference> firstDifference(std::span<const Tensor> expected,
                                               std::span<const Tensor> actual,
                                               const Tolerance& tolerance) {
  ValueDifference difference;
  if (expected.size() != actual.size()) {
    difference.structure =
        fmt::format("{} values were expected, {} were found", expected.size(), actual.size());
    return difference;
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    difference.output = i;
    if (expected[i].type() != actual[i].type() || expected[i].shape() != actual[i].shape()) {
      difference.structure =
          fmt::format("expected {}, found {}", describe(expected[i]), describe(actual[i]));
      return difference;
    }
    if (expected[i].identical(actual[i])) continue;
    const Comparison comparison = compare(tolerance, expected[i], actual[i]);
    if (comparison.differingElements == 0) continue;
    difference.elements = comparison.differingElements;
    for (int64_t element = 0; element < expected[i].size(); ++element) {
      if (compare(tolerance, elementOf(expected[i], element), elementOf(actual[i], element))
              .differingElements == 0)
        continue;
      difference.index = formatIndex(expected[i].shape(), element);
      difference.expected = formatElement(expected[i], element);
      difference.actual = formatElement(actual[i], element);
      if (isFloat(expected[i].type()) || isComplex(expected[i].type()))
        if (const int64_t ulps = ulpDistance(expected[i], element, actual[i], element);
            ulps != kFarApart)
          difference.ulps = ulps;
      return difference;
    }
  }
  return std::nullopt;
}

std::string describe(const ValueDifference& difference) {
  if (!difference.structure.empty())
    return fmt::format("result {}: {}", difference.output, difference.structure);
  return fmt::format("result {} at {}: expected {}, found {}{}; {} elements differ",
                     difference.output, difference.index, difference.expected, difference.actual,
                     difference.ulps ? fmt::format(" ({} ulps)", *difference.ulps) : "",
                     difference.elements);
}

}  // namespace vintage::harness::bisect
