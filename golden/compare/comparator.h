// Comparators: when two sets of outputs are the same answer.
//
// A golden names its comparator. Values compare element by element (exact,
// ulps, tolerance) or by meaning where the answer is not unique: eigenvectors
// up to phase, a QR factorization by reconstruction and orthogonality, a sort up
// to the order of equal keys.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "golden/base/result.h"
#include "golden/compare/noise.h"
#include "golden/compare/open_values.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

struct Tolerance {
  // An element passes when any of the bounds that are set holds. NaN equals
  // NaN; infinities must be equal; of complex numbers each part is judged, and
  // absolute and relative bounds against the modulus.
  std::optional<double> absolute, relative;  // |a - e| <= absolute + relative * |e|
  std::optional<int64_t> ulps;               // In the element type's own spacing.
};

struct Comparator {
  enum class Kind {
    kExact,         // Bits, except that every NaN equals every NaN.
    kElementwise,   // Under `tolerance`.
    kEigenvectors,  // Columns up to phase, and order among equal values.
    kSingularVectors,
    kQr,     // Q R = A, Q orthonormal, R upper triangular.
    kSchur,  // Z T Z^H = A, T (quasi-)triangular.
    kHessenberg,
    kTridiagonal,
    kLu,        // P L U = A
    kCholesky,  // L L^H = A; the other triangle is ignored.
    // A sort of several arrays, with equal keys in any order. Roles: key and value. A top-k has the
    // role chosen too: of the values whose keys tie for the last place, it may choose any.
    kSorted,
  };
  Kind kind = Kind::kExact;
  Tolerance tolerance;
  // Which outputs and inputs take part where the kind needs roles; see
  // golden/compare/comparator_kinds.h for the names. Empty: in JAX's order.
  std::vector<std::string> roles;
  // Of kSorted: along which the outputs are sorted.
  int64_t dimension = 0;
  // Values of the outputs that the specification leaves open; empty: none.
  std::vector<OpenValues> open;
};

std::string comparatorName(Comparator::Kind kind);  // "exact", "elementwise", "eigenvectors", …
Result<Comparator::Kind> parseComparatorName(std::string_view name);

struct Comparison {
  bool same = false;  // But for what the specification leaves open.
  // The first difference, for a person: output, index, both values, distance.
  std::string firstDifference;
  int64_t differingElements = 0;
  double largestAbsolute = 0, largestRelative = 0;
  int64_t largestUlps = 0;
  // Elements that pass only by their noise, and those that are not comparable
  // (golden/compare/noise.h).
  int64_t withinNoise = 0, notComparable = 0;
  std::string firstNotComparable;
  // The first difference that the comparator's `open` permits; empty: there is none.
  std::string permittedDifference;

  // Counts a difference; the first one's message is kept.
  void differ(std::string message) {
    ++differingElements;
    if (firstDifference.empty()) firstDifference = std::move(message);
  }
  void permit(const std::string& message) {
    if (permittedDifference.empty()) permittedDifference = message;
  }
};

// A wrong number of outputs, or another shape or type, is a difference and not an error.
// Comparators that reconstruct use `inputs`; those that compare elements use `noise`, the scales of
// the expected outputs, or none.
Comparison compareOutputs(const Comparator& comparator, std::span<const Tensor> inputs,
                          std::span<const Tensor> expected, std::span<const Tensor> actual,
                          std::span<const NoiseScale> noise = {});

// As JSON (docs/golden_format.md).
nlohmann::json comparatorJson(const Comparator& comparator);
// Unknown fields are ignored; a field of a wrong type, or an unknown kind, is kBadInput.
Result<Comparator> comparatorOfJson(const nlohmann::json& json);

}  // namespace vintage::golden
