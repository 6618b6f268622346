#include "golden/compare/corpus_comparators.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/compare/factors.h"
#include "golden/tensor/visit.h"

namespace vintage::golden::compare {
namespace {

using enum Comparator::Kind;

struct Family {
  // A custom call belongs to it when its target contains this.
  std::string_view fragment;
  Comparator::Kind kind;
  // For kElementwise, in epsilons: relative to each element, and absolute in
  // terms of the largest expected magnitude. For factorizations the relative
  // bound of comparator.h; 0 takes its default.
  double relative = 0, absolute = 0;
};

// The first family of which any target is one decides; so pivots, which come
// with an LU factorization, stand behind it. Different libraries and blockings
// differ by a few roundings for each dimension; solvers lose as much as the
// matrix is badly conditioned, in JAX's own tests up to 1e-3 for f32.
constexpr Family kFamilies[] = {
    {"geev", kEigenvectors},
    {"syev", kEigenvectors},
    {"heev", kEigenvectors},
    {"Eigh", kEigenvectors},
    {"gesdd", kSingularVectors},
    {"gesvd", kSingularVectors},
    {"geqrf", kQr},
    {"orgqr", kQr},
    {"ungqr", kQr},
    {"Qr", kQr},
    {"ProductOfElementaryHouseholderReflectors", kQr},
    {"getrf", kLu},
    {"gees", kSchur},
    {"gehrd", kHessenberg},
    {"sytrd", kTridiagonal},
    {"hetrd", kTridiagonal},
    {"potrf", kElementwise, 1000, 100},
    {"trsm", kElementwise, 1000, 1000},
    {"gtsv", kElementwise, 1000, 1000},
    {"fft", kElementwise, 10, 100},
    {"threefry", kExact},
    {"lu_pivots_to_permutation", kExact},
    {"top_k", kExact},
    {"annotate_device_placement", kExact},
    // Kernels of Pallas, whose products the TPU may round to bf16.
    {"tpu_custom_call", kElementwise, 65536, 65536},
};

// Elementwise arithmetic without custom calls: a few roundings, and fused
// multiply-adds that a compiler may or may not use.
constexpr Family kOrdinary = {"", kElementwise, 10, 10};

double largestMagnitude(const Tensor& tensor) {
  return visitElementType(tensor.type(), [&]<typename T>() {
    double largest = 0;
    for (const T value : tensor.values<T>()) {
      double magnitude = 0;
      if constexpr (kIsComplexStorage<T>)
        magnitude =
            std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
      else
        magnitude = std::abs(static_cast<double>(value));
      if (std::isfinite(magnitude)) largest = std::max(largest, magnitude);
    }
    return largest;
  });
}

Comparator elementwise(const Family& family, const Tensor& expected) {
  Comparator comparator;
  const ElementType real = realPart(expected.type());
  if (family.kind == kExact || !isFloat(real)) return comparator;
  const double epsilon = epsilonOf({&expected, 1});
  comparator.kind = kElementwise;
  comparator.tolerance.relative = family.relative * epsilon;
  comparator.tolerance.absolute = family.absolute * epsilon * largestMagnitude(expected);
  return comparator;
}

}  // namespace

Result<std::vector<Comparator>> comparatorsForTargets(
    std::span<const std::string> customCallTargets, std::span<const Tensor> expected) {
  const Family* family = &kOrdinary;
  for (const Family& candidate : kFamilies) {
    const bool member = std::ranges::any_of(customCallTargets, [&](const std::string& target) {
      return target.find(candidate.fragment) != std::string::npos;
    });
    if (!member) continue;
    family = &candidate;
    break;
  }
  std::vector<Comparator> comparators;
  if (family->kind == kExact || family->kind == kElementwise) {
    for (const Tensor& output : expected) comparators.push_back(elementwise(*family, output));
    return comparators;
  }
  Comparator& comparator = comparators.emplace_back();
  comparator.kind = family->kind;
  Result<std::vector<std::string>> roles = factorRoles(comparator, expected);
  if (!roles)
    return within(fmt::format("custom calls {}", fmt::join(customCallTargets, ", ")),
                  std::move(roles.error()));
  comparator.roles = std::move(*roles);
  return comparators;
}

}  // namespace vintage::golden::compare
