#include "harness/model/difference/array_difference.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "golden/compare/comparator_kinds.h"
#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"

namespace vintage::harness {
using namespace golden;

namespace {

const Tensor* find(std::span<const NamedArray> arrays, const std::string& name) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  return found == arrays.end() ? nullptr : &found->tensor;
}

ArrayDifference compareTwo(const std::string& name, const Tensor& first, const Tensor& second,
                           size_t places) {
  ArrayDifference difference;
  difference.name = name;
  difference.type = describe(first);
  if (first.type() != second.type() || first.shape() != second.shape()) {
    difference.typesDiffer = fmt::format("{} and {}", describe(first), describe(second));
    return difference;
  }
  Comparison comparison;
  compareExactly(first, second, name, comparison);
  difference.elements = first.size();
  difference.differing = comparison.differingElements;
  difference.largestAbsolute = comparison.largestAbsolute;
  difference.largestRelative = comparison.largestRelative;
  difference.largestUlps = comparison.largestUlps;
  for (const ElementDifference& one : largestDifferences(first, second, places))
    difference.furthest.push_back({formatIndex(first.shape(), one.index),
                                   formatElement(first, one.index),
                                   formatElement(second, one.index)});
  return difference;
}

}  // namespace

std::vector<ArrayDifference> compareArrays(std::span<const NamedArray> first,
                                           std::span<const NamedArray> second, size_t places) {
  std::vector<ArrayDifference> differences;
  const auto onlyIn = [&](const NamedArray& array, const char* which) {
    ArrayDifference difference;
    difference.name = array.name;
    difference.type = describe(array.tensor);
    difference.typesDiffer = fmt::format("{}, only in the {}", difference.type, which);
    differences.push_back(std::move(difference));
  };
  for (const NamedArray& array : first) {
    const Tensor* other = find(second, array.name);
    if (!other)
      onlyIn(array, "first");
    else if (auto compared = compareTwo(array.name, array.tensor, *other, places); !compared.same())
      differences.push_back(std::move(compared));
  }
  for (const NamedArray& array : second)
    if (!find(first, array.name)) onlyIn(array, "second");
  std::ranges::stable_sort(differences, [](const ArrayDifference& a, const ArrayDifference& b) {
    return std::pair(!a.typesDiffer.empty(), a.largestAbsolute) >
           std::pair(!b.typesDiffer.empty(), b.largestAbsolute);
  });
  return differences;
}

std::vector<NamedArray> named(const char* what, std::span<const Tensor> tensors) {
  std::vector<NamedArray> arrays;
  for (const Tensor& tensor : tensors)
    arrays.push_back({fmt::format("{} {}", what, arrays.size()), tensor});
  return arrays;
}

std::string textOf(std::span<const ArrayDifference> arrays) {
  std::string text;
  for (const ArrayDifference& array : arrays) {
    const std::string name = array.name.empty() ? "the array" : array.name;
    if (!array.typesDiffer.empty()) {
      text += fmt::format("{}: {}\n", name, array.typesDiffer);
      continue;
    }
    text += fmt::format(
        "{}: {}, {} of {} elements differ, by {:.3g} at most{}\n", name, array.type,
        array.differing, array.elements, array.largestAbsolute,
        array.largestUlps == kFarApart ? "" : fmt::format(" ({} ulps)", array.largestUlps));
    for (const ArrayDifference::Place& place : array.furthest)
      text += fmt::format("  {}: {} and {}\n", place.index, place.first, place.second);
  }
  return text;
}

nlohmann::json toJson(std::span<const ArrayDifference> arrays) {
  // JSON has no infinity: a number that cannot be said is null.
  const auto finite = [](double value) {
    return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
  };
  nlohmann::json list = nlohmann::json::array();
  for (const ArrayDifference& array : arrays) {
    nlohmann::json places = nlohmann::json::array();
    for (const ArrayDifference::Place& place : array.furthest)
      places.push_back({{"index", place.index}, {"first", place.first}, {"second", place.second}});
    list.push_back(
        {{"name", array.name},
         {"type", array.type},
         {"types_differ", array.typesDiffer},
         {"elements", array.elements},
         {"differing", array.differing},
         {"largest_absolute", finite(array.largestAbsolute)},
         {"largest_relative", finite(array.largestRelative)},
         {"largest_ulps",
          array.largestUlps == kFarApart ? nlohmann::json() : nlohmann::json(array.largestUlps)},
         {"furthest", places}});
  }
  return list;
}

}  // namespace vintage::harness
