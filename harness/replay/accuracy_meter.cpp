#include "harness/replay/accuracy_meter.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"

namespace vintage::harness::replay {
namespace {

// The distance of complex numbers in the spacing of the type at the expected modulus.
template <typename T>
int64_t modulusDistance(std::complex<T> expected, std::complex<T> actual) {
  const T modulus = std::abs(expected), difference = std::abs(actual - expected);
  if (!std::isfinite(modulus) || !std::isfinite(difference)) return kFarApart;
  const T spacing = std::nextafter(modulus, std::numeric_limits<T>::infinity()) - modulus;
  const T units = std::ceil(difference / spacing);
  return units < T(1e18) ? static_cast<int64_t>(units) : kFarApart;
}

int64_t distance(const Tensor& expected, const Tensor& actual, int64_t index) {
  const int64_t parts = ulpDistance(expected, index, actual, index);
  return visitElementType(expected.type(), [&]<typename T>() -> int64_t {
    if constexpr (kIsComplexStorage<T>) {
      const auto at = static_cast<size_t>(index);
      return std::min(parts, modulusDistance(expected.values<T>()[at], actual.values<T>()[at]));
    } else {
      return parts;
    }
  });
}

// The elements that gave this one, for operations that go element by element.
std::string operandsAt(std::span<const Tensor> inputs, const Shape& shape, int64_t index) {
  std::string text;
  for (const Tensor& input : inputs) {
    if (input.shape() != shape && input.size() != 1) return {};
    text += (text.empty() ? "" : ", ") + formatElement(input, input.size() == 1 ? 0 : index);
  }
  return text;
}

const Comparator& comparatorOf(const Golden& golden, size_t output) {
  return golden.comparators.size() == 1 ? golden.comparators[0] : golden.comparators[output];
}

bool isElementwise(const Comparator& comparator) {
  return comparator.kind == Comparator::Kind::kExact ||
         comparator.kind == Comparator::Kind::kElementwise;
}

}  // namespace

void AccuracyMeter::add(const ArtifactRecord& artifact, const std::string& platform,
                        const std::string& mode, const Golden& golden,
                        std::span<const Tensor> actual) {
  const bool comparable = golden.comparators.size() == 1 ||
                          golden.comparators.size() == golden.expected.size();
  if (artifact.primitive.empty() || actual.size() != golden.expected.size() || !comparable) return;
  for (size_t output = 0; output < actual.size(); ++output) {
    const Tensor& expected = golden.expected[output];
    const Tensor& found = actual[output];
    const Comparator& comparator = comparatorOf(golden, output);
    const ElementType type = expected.type();
    if (!(isFloat(type) || isComplex(type)) || !isElementwise(comparator) ||
        found.type() != type || found.shape() != expected.shape() || expected.size() == 0)
      continue;
    const std::string dtype(stablehloName(type));
    // A derivative is another function.
    const std::string function =
        artifact.primitive + (artifact.variant == "vjp" ? " (vjp)" : "");
    Measured& measured = measured_[{function, dtype, platform, mode}];
    AccuracyRow& row = measured.row;
    if (comparator.kind == Comparator::Kind::kExact)
      row.allowedUlps = std::max(row.allowedUlps.value_or(0), int64_t{0});
    else if (comparator.tolerance.ulps)
      row.allowedUlps = std::max(row.allowedUlps.value_or(0), *comparator.tolerance.ulps);
    else
      measured.boundedOtherwise = true;
    row.elements += expected.size();
    if (found.identical(expected)) {
      row.finite += expected.size();
      continue;
    }
    for (int64_t i = 0; i < expected.size(); ++i) {
      const int64_t ulps = distance(expected, found, i);
      if (ulps != kFarApart) {
        measured.sum += static_cast<double>(ulps);
        ++row.finite;
      }
      if (ulps == 0) continue;
      ++row.differing;
      if (ulps < row.largestUlps || (ulps == row.largestUlps && row.name <= artifact.name))
        continue;
      row.largestUlps = ulps;
      row.name = artifact.name;
      row.place = fmt::format("output {} {}", output, formatIndex(expected.shape(), i));
      row.input = operandsAt(golden.inputs, expected.shape(), i);
      row.expected = formatElement(expected, i);
      row.actual = formatElement(found, i);
    }
  }
}

void AccuracyMeter::add(const AccuracyRow& other) {
  Measured& measured = measured_[{other.primitive, other.dtype, other.platform, other.mode}];
  AccuracyRow& row = measured.row;
  if (other.allowedUlps)
    row.allowedUlps = std::max(row.allowedUlps.value_or(0), *other.allowedUlps);
  else
    measured.boundedOtherwise = true;
  row.elements += other.elements;
  row.differing += other.differing;
  row.finite += other.finite;
  // Distances are whole: so is their sum.
  measured.sum += std::round(other.meanUlps * static_cast<double>(other.finite));
  if (other.largestUlps < row.largestUlps ||
      (other.largestUlps == row.largestUlps && row.name <= other.name))
    return;
  row.largestUlps = other.largestUlps;
  row.name = other.name;
  row.place = other.place;
  row.input = other.input;
  row.expected = other.expected;
  row.actual = other.actual;
}

std::vector<AccuracyRow> AccuracyMeter::rows() const {
  std::vector<AccuracyRow> rows;
  for (const auto& [key, measured] : measured_) {
    AccuracyRow row = measured.row;
    std::tie(row.primitive, row.dtype, row.platform, row.mode) = key;
    row.meanUlps = row.finite ? measured.sum / static_cast<double>(row.finite) : 0;
    if (measured.boundedOtherwise) row.allowedUlps.reset();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace vintage::harness::replay
