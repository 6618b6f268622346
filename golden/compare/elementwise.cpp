#include "golden/compare/comparator_kinds.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "golden/compare/noise.h"
#include "golden/tensor/print.h"
#include "golden/tensor/ulps.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

struct Distance {
  double absolute = 0, relative = 0;
  int64_t ulps = 0;
  bool within = true;
};

// The sum of the absolute and the relative bound, the latter taken of `scale`; 0: none is set.
double boundOf(const Tolerance& tolerance, double scale) {
  return tolerance.absolute.value_or(0) + tolerance.relative.value_or(0) * std::abs(scale);
}

// Whether a bound that is set holds.
bool isWithin(const Tolerance& tolerance, const Distance& distance, double scale) {
  const bool bounded = tolerance.absolute || tolerance.relative;
  return distance.absolute == 0 || (bounded && distance.absolute <= boundOf(tolerance, scale)) ||
         (tolerance.ulps && distance.ulps <= *tolerance.ulps);
}

// One real number, or one part of a complex one.
template <typename T>
Distance distance(const Tolerance& tolerance, T expected, T actual, double scale) {
  const auto e = static_cast<double>(expected), a = static_cast<double>(actual);
  Distance result;
  if (std::isnan(e) || std::isnan(a)) {
    result.within = std::isnan(e) && std::isnan(a);
  } else if (std::isinf(e) || std::isinf(a)) {
    result.within = e == a;
  } else {
    result.absolute = std::abs(a - e);
    result.relative = result.absolute == 0 ? 0 : result.absolute / std::abs(scale);
    result.ulps = ulpDistance(expected, actual);
    result.within = isWithin(tolerance, result, scale);
    return result;
  }
  if (!result.within) {
    result.absolute = result.relative = HUGE_VAL;
    result.ulps = kFarApart;
  }
  return result;
}

template <typename T>
double magnitudeOf(T value) {
  if constexpr (kIsComplexStorage<T>)
    return std::hypot(static_cast<double>(value.real()), static_cast<double>(value.imag()));
  else
    return std::abs(static_cast<double>(static_cast<Computation<T>>(value)));
}

template <typename T>
Distance distanceOf(const Tolerance& tolerance, T expected, T actual) {
  if constexpr (kIsComplexStorage<T>) {
    const double modulus = magnitudeOf(expected);
    const bool finite = std::isfinite(modulus);
    const auto part = [&](auto e, auto a) {
      return distance(tolerance, e, a, finite ? modulus : static_cast<double>(e));
    };
    const Distance real = part(expected.real(), actual.real());
    const Distance imaginary = part(expected.imag(), actual.imag());
    return {std::max(real.absolute, imaginary.absolute),
            std::max(real.relative, imaginary.relative), std::max(real.ulps, imaginary.ulps),
            real.within && imaginary.within};
  } else if constexpr (kIsFloatStorage<T>) {
    return distance(tolerance, expected, actual, static_cast<double>(expected));
  } else if constexpr (kIsPredicateStorage<T>) {
    if (expected == actual) return {};
    return {1, 1, 1, false};
  } else {
    // The spacing of integers is 1. The difference of two 64-bit numbers needs
    // a wider one.
    const auto e = static_cast<__int128>(static_cast<Computation<T>>(expected));
    const auto a = static_cast<__int128>(static_cast<Computation<T>>(actual));
    const __int128 difference = a > e ? a - e : e - a;
    Distance result;
    result.absolute = static_cast<double>(difference);
    result.relative = difference == 0 ? 0 : result.absolute / std::abs(static_cast<double>(e));
    result.ulps = static_cast<int64_t>(std::min<__int128>(difference, kFarApart));
    result.within = isWithin(tolerance, result, static_cast<double>(e));
    return result;
  }
}

// From a number of 0 or more to the next of the type, or of a complex type's parts; from the one
// before it to the largest.
template <typename T>
double spacingAt(double magnitude) {
  if constexpr (kIsComplexStorage<T>) {
    return spacingAt<typename T::value_type>(magnitude);
  } else if constexpr (kIsNarrowFloat<T>) {
    const auto value = static_cast<T>(magnitude);
    const auto at = [](int code) { return T::fromBits(static_cast<typename T::Bits>(code)); };
    const int code = value.bits();
    const T next = at(code + 1);
    const bool isLast = code + 1 >= T::kSignBit || !next.isFinite();
    return isLast ? static_cast<double>(value) - static_cast<double>(at(code - 1))
                  : static_cast<double>(next) - static_cast<double>(value);
  } else {
    const auto value = static_cast<T>(magnitude);
    const T next = std::nextafter(value, std::numeric_limits<T>::infinity());
    return std::isinf(next) ? static_cast<double>(value) - std::nextafter(value, T(0))
                            : static_cast<double>(next) - static_cast<double>(value);
  }
}

template <typename T>
bool isNanElement(T value) {
  if constexpr (kIsComplexStorage<T>)
    return std::isnan(value.real()) || std::isnan(value.imag());
  else if constexpr (kIsNarrowFloat<T>)
    return value.isNan();
  else if constexpr (kIsFloatStorage<T>)
    return std::isnan(value);
  else
    return false;
}

// Bits, except that a NaN equals any NaN; of types below a byte those that count, since
// libraries leave the others as they like.
template <typename T>
bool identicalElements(T expected, T actual) {
  if constexpr (kIsPredicateStorage<T>)
    return expected == actual;
  else if constexpr (kIsComplexStorage<T>)
    return identicalElements(expected.real(), actual.real()) &&
           identicalElements(expected.imag(), actual.imag());
  else if constexpr (kIsNarrowIntegerStorage<T>)
    return static_cast<typename T::Byte>(expected) == static_cast<typename T::Byte>(actual);
  else if constexpr (kIsNarrowFloat<T>)
    return expected.bits() == actual.bits() || (isNanElement(expected) && isNanElement(actual));
  else
    return std::memcmp(&expected, &actual, sizeof(T)) == 0 ||
           (isNanElement(expected) && isNanElement(actual));
}

// `accept` decides, then what is permitted, then the noise. The distances are recorded for every
// element but those that are permitted.
template <typename T, typename Accept>
void compareAll(const Tensor& expected, const Tensor& actual, const Tolerance& tolerance,
                std::string_view place, Comparison& comparison, const NoiseScale* noise,
                const PermittedElement& permitted, Accept accept) {
  const std::span<const T> e = expected.values<T>(), a = actual.values<T>();
  for (size_t i = 0; i < e.size(); ++i) {
    const Distance d = distanceOf(tolerance, e[i], a[i]);
    const auto index = static_cast<int64_t>(i);
    const bool accepted = accept(e[i], a[i], d), may = !accepted && permitted && permitted(index);
    if (!may) {
      comparison.largestAbsolute = std::max(comparison.largestAbsolute, d.absolute);
      comparison.largestRelative = std::max(comparison.largestRelative, d.relative);
      comparison.largestUlps = std::max(comparison.largestUlps, d.ulps);
    }
    if (accepted) continue;
    const double scale = noise != nullptr ? noise->at(index) : 0;
    const bool within =
        !may && scale > 0 && (std::isinf(scale) || d.absolute <= kNoiseMultiple * scale);
    if (within && scale < magnitudeOf(e[i])) {
      ++comparison.withinNoise;
      continue;
    }
    if (!may) ++(within ? comparison.notComparable : comparison.differingElements);
    std::string& first = may      ? comparison.permittedDifference
                         : within ? comparison.firstNotComparable
                                  : comparison.firstDifference;
    if (!first.empty()) continue;
    std::string far = d.ulps == kFarApart ? std::string() : fmt::format(" ({} ulps apart)", d.ulps);
    if (d.ulps == 0) far = " (they differ in the sign of a zero)";
    first =
        fmt::format("{}{}: expected {}, found {}{}", place, formatIndex(expected.shape(), index),
                    formatElement(expected, index), formatElement(actual, index), far);
    if (may) continue;
    if (std::isinf(scale))
      first += ", where roundings decide";
    else if (scale > 0)
      first += fmt::format("; roundings scatter it by {:.2g}, and {} times that is allowed", scale,
                           kNoiseMultiple);
  }
}

}  // namespace

void compareExactly(const Tensor& expected, const Tensor& actual, std::string_view place,
                    Comparison& comparison, const NoiseScale* noise,
                    const PermittedElement& permitted) {
  if (expected.identical(actual)) return;
  visitElementType(expected.type(), [&]<typename T>() {
    compareAll<T>(expected, actual, {}, place, comparison, noise, permitted,
                  [](T e, T a, const Distance&) { return identicalElements(e, a); });
  });
}

void compareElements(const Tolerance& tolerance, const Tensor& expected, const Tensor& actual,
                     std::string_view place, Comparison& comparison, const NoiseScale* noise,
                     const PermittedElement& permitted) {
  if (expected.identical(actual)) return;
  visitElementType(expected.type(), [&]<typename T>() {
    compareAll<T>(expected, actual, tolerance, place, comparison, noise, permitted,
                  [](T, T, const Distance& d) { return d.within; });
  });
}

std::vector<Allowance> allowances(const Comparator& comparator, const Tensor& expected) {
  const Tolerance none,
      &tolerance = comparator.kind == Comparator::Kind::kExact ? none : comparator.tolerance;
  return visitElementType(expected.type(), [&]<typename T>() {
    std::vector<Allowance> list(static_cast<size_t>(expected.size()));
    if constexpr (kIsFloatStorage<T> || kIsComplexStorage<T>)
      for (size_t i = 0; i < list.size(); ++i) {
        const double magnitude = magnitudeOf(expected.values<T>()[i]);
        if (!std::isfinite(magnitude)) continue;
        const double spacing = spacingAt<T>(magnitude);
        list[i] = {magnitude,
                   std::max(boundOf(tolerance, magnitude),
                            static_cast<double>(tolerance.ulps.value_or(0)) * spacing),
                   spacing};
      }
    return list;
  });
}

std::vector<ElementDifference> largestDifferences(const Tensor& expected, const Tensor& actual,
                                                  size_t most) {
  std::vector<ElementDifference> found;
  if (expected.identical(actual)) return found;
  const auto further = [](const ElementDifference& a, const ElementDifference& b) {
    return std::tie(a.absolute, a.ulps, b.index) > std::tie(b.absolute, b.ulps, a.index);
  };
  visitElementType(expected.type(), [&]<typename T>() {
    const std::span<const T> e = expected.values<T>(), a = actual.values<T>();
    for (size_t i = 0; i < e.size(); ++i) {
      if (identicalElements(e[i], a[i])) continue;
      const Distance d = distanceOf(Tolerance{}, e[i], a[i]);
      // A heap whose top is the least of those that are kept.
      found.push_back({static_cast<int64_t>(i), d.absolute, d.ulps});
      std::push_heap(found.begin(), found.end(), further);
      if (found.size() <= most) continue;
      std::pop_heap(found.begin(), found.end(), further);
      found.pop_back();
    }
  });
  std::sort(found.begin(), found.end(), further);
  return found;
}

}  // namespace vintage::golden
