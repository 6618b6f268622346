#include "golden/compare/comparator.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/compare/comparator_kinds.h"
#include "golden/compare/noise.h"

namespace vintage::golden {
namespace {

struct Name {
  Comparator::Kind kind;
  std::string_view name;
};

using enum Comparator::Kind;
constexpr Name kNames[] = {
    {kExact, "exact"},
    {kElementwise, "elementwise"},
    {kEigenvectors, "eigenvectors"},
    {kSingularVectors, "singular_vectors"},
    {kQr, "qr"},
    {kSchur, "schur"},
    {kHessenberg, "hessenberg"},
    {kTridiagonal, "tridiagonal"},
    {kLu, "lu"},
    {kCholesky, "cholesky"},
    {kSorted, "sorted"},
};

// Empty where types and shapes agree.
std::string structuralDifference(std::span<const Tensor> expected, std::span<const Tensor> actual) {
  if (expected.size() != actual.size())
    return fmt::format("expected {} outputs, found {}", expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i)
    if (expected[i].type() != actual[i].type() || expected[i].shape() != actual[i].shape())
      return fmt::format("output {}: expected {}, found {}", i, describe(expected[i]),
                         describe(actual[i]));
  return {};
}

}  // namespace

std::string comparatorName(Comparator::Kind kind) {
  return std::string(std::ranges::find(kNames, kind, &Name::kind)->name);
}

Result<Comparator::Kind> parseComparatorName(std::string_view name) {
  const Name* found = std::ranges::find(kNames, name, &Name::name);
  if (found != std::end(kNames)) return found->kind;
  std::string known;
  for (const Name& candidate : kNames) known += fmt::format(" {}", candidate.name);
  return badInput("'{}' is not a comparator; there are:{}", name, known);
}

Comparison compareOutputs(const Comparator& comparator, std::span<const Tensor> inputs,
                          std::span<const Tensor> expected, std::span<const Tensor> actual,
                          std::span<const NoiseScale> noise) {
  Comparison comparison;
  comparison.firstDifference = structuralDifference(expected, actual);
  if (!comparison.firstDifference.empty()) {
    comparison.differingElements = 1;
    return comparison;
  }
  if (comparator.kind == kExact || comparator.kind == kElementwise) {
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string place = fmt::format("output {}", i);
      const NoiseScale* scale = i < noise.size() ? &noise[i] : nullptr;
      if (comparator.kind == kExact)
        compareExactly(expected[i], actual[i], place, comparison, scale);
      else
        compareElements(comparator.tolerance, expected[i], actual[i], place, comparison, scale);
    }
  } else if (comparator.kind == kSorted) {
    compareSorted(comparator, expected, actual, comparison);
  } else {
    compareFactorization(comparator, inputs, expected, actual, comparison);
  }
  comparison.same = comparison.differingElements == 0;
  return comparison;
}

}  // namespace vintage::golden
