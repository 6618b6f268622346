#include "harness/replay/accuracy_meter.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include <fmt/format.h>

#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

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

// Values that may differ are no measure of accuracy.
bool isElementwise(const Comparator& comparator) {
  return comparator.open.empty() && (comparator.kind == Comparator::Kind::kExact ||
                                     comparator.kind == Comparator::Kind::kElementwise);
}

}  // namespace

void AccuracyMeter::Measured::add(const Measured& other) {
  const AccuracyRow& more = other.row;
  boundedOtherwise |= other.boundedOtherwise;
  if (more.allowedUlps) row.allowedUlps = std::max(row.allowedUlps.value_or(0), *more.allowedUlps);
  row.elements += more.elements;
  row.differing += more.differing;
  row.finite += more.finite;
  sum += other.sum;
  if (more.largestUlps < row.largestUlps ||
      (more.largestUlps == row.largestUlps && row.name <= more.name))
    return;
  row.largestUlps = more.largestUlps;
  row.name = more.name;
  row.place = more.place;
  row.input = more.input;
  row.expected = more.expected;
  row.actual = more.actual;
}

AccuracyMeter::Measured AccuracyMeter::measure(const ArtifactRecord& artifact, const Golden& golden,
                                               size_t output, const Tensor& found) {
  const Tensor& expected = golden.expected[output];
  const Comparator& comparator = comparatorOf(golden, output);
  Measured measured;
  AccuracyRow& row = measured.row;
  if (comparator.kind == Comparator::Kind::kExact)
    row.allowedUlps = 0;
  else if (comparator.tolerance.ulps)
    row.allowedUlps = *comparator.tolerance.ulps;
  else
    measured.boundedOtherwise = true;
  row.elements = expected.size();
  if (found.identical(expected)) {
    row.finite = expected.size();
    return measured;
  }
  std::optional<int64_t> largest;  // Where it is.
  for (int64_t i = 0; i < expected.size(); ++i) {
    const int64_t ulps = distance(expected, found, i);
    if (ulps != kFarApart) {
      measured.sum += static_cast<double>(ulps);
      ++row.finite;
    }
    if (ulps == 0) continue;
    ++row.differing;
    if (largest && ulps <= row.largestUlps) continue;
    row.largestUlps = ulps;
    largest = i;
  }
  if (!largest) return measured;
  row.name = artifact.name;
  row.place = fmt::format("output {} {}", output, formatIndex(expected.shape(), *largest));
  row.input = operandsAt(golden.inputs, expected.shape(), *largest);
  row.expected = formatElement(expected, *largest);
  row.actual = formatElement(found, *largest);
  return measured;
}

void AccuracyMeter::add(const ArtifactRecord& artifact, const std::string& platform,
                        const std::string& mode, const Golden& golden,
                        std::span<const Tensor> actual) {
  const bool comparable =
      golden.comparators.size() == 1 || golden.comparators.size() == golden.expected.size();
  if (artifact.primitive.empty() || actual.size() != golden.expected.size() || !comparable) return;
  for (size_t output = 0; output < actual.size(); ++output) {
    const Tensor& expected = golden.expected[output];
    const ElementType type = expected.type();
    if (!(isFloat(type) || isComplex(type)) || !isElementwise(comparatorOf(golden, output)) ||
        actual[output].type() != type || actual[output].shape() != expected.shape() ||
        expected.size() == 0)
      continue;
    // A derivative is another function.
    const std::string function = artifact.primitive + (artifact.variant == "vjp" ? " (vjp)" : "");
    measured_[{function, std::string(stablehloName(type)), platform, mode}].add(
        measure(artifact, golden, output, actual[output]));
  }
}

void AccuracyMeter::add(const AccuracyRow& other) {
  // Distances are whole: so is their sum.
  measured_[{other.primitive, other.dtype, other.platform, other.mode}].add(
      {.row = other,
       .sum = std::round(other.meanUlps * static_cast<double>(other.finite)),
       .boundedOtherwise = !other.allowedUlps});
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

}  // namespace vintage::harness
