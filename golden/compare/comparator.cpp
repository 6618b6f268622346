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

// Says where outputs that are the same by meaning differ in what the specification leaves open.
// Accepts an approximate top-k.
void compareOpenMeaning(const Comparator& comparator, std::span<const Tensor> inputs,
                        std::span<const Tensor> expected, std::span<const Tensor> actual,
                        Comparison& comparison) {
  if (comparator.open.empty()) return;
  const OpenValues& open = comparator.open.front();
  if (comparison.differingElements > 0) {
    if (open.operation != "ApproxTopK" ||
        !mayBeApproximateTopK(comparator, open, inputs, expected, actual))
      return;
    comparison = {};
  }
  const bool upper = std::ranges::find(comparator.roles, "upper") != comparator.roles.end();
  for (size_t i = 0; i < expected.size(); ++i) {
    const Shape& shape = expected[i].shape();
    const PermittedElement isOpen = [&](int64_t index) {
      if (comparator.kind == kSorted) return true;
      if (comparator.kind != kCholesky || shape.size() < 2) return false;
      const int64_t column = index % shape.back();
      const int64_t row = index / shape.back() % shape[shape.size() - 2];
      return upper ? column < row : column > row;
    };
    Comparison exact;
    compareExactly(expected[i], actual[i], fmt::format("output {}", i), exact, nullptr, isOpen);
    comparison.permit(exact.permittedDifference);
  }
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
      if (expected[i].identical(actual[i])) continue;
      const std::string place = fmt::format("output {}", i);
      const NoiseScale* scale = i < noise.size() ? &noise[i] : nullptr;
      const PermittedElement permitted =
          permittedElement(comparator.open, inputs, expected[i], actual[i]);
      if (comparator.kind == kExact)
        compareExactly(expected[i], actual[i], place, comparison, scale, permitted);
      else
        compareElements(comparator.tolerance, expected[i], actual[i], place, comparison, scale,
                        permitted);
    }
  } else {
    if (comparator.kind == kSorted)
      compareSorted(comparator, expected, actual, comparison);
    else
      compareFactorization(comparator, inputs, expected, actual, comparison);
    compareOpenMeaning(comparator, inputs, expected, actual, comparison);
  }
  comparison.same = comparison.differingElements == 0;
  return comparison;
}

}  // namespace vintage::golden
