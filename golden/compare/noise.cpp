#include "golden/compare/noise.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/compare/comparator_kinds.h"
#include "golden/compare/golden.h"
#include "golden/tensor/print.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr uint8_t kNotComparable = 255, kLargestCode = 254;
constexpr size_t kNeighbours = 16;

// The least number of half octaves, n, with scale <= 2^(n/2). It compares exact values, so the
// result does not depend on a library's logarithm.
int64_t halfOctaves(double scale) {
  int exponent = 0;
  const double fraction = std::frexp(scale, &exponent);
  if (fraction == 0.5) return 2 * (int64_t{exponent} - 1);
  return 2 * int64_t{exponent} - (fraction * fraction <= 0.5 ? 1 : 0);
}

template <typename T>
double distanceBetween(T a, T b) {
  if constexpr (kIsComplexStorage<T>) {
    return std::max(distanceBetween(a.real(), b.real()), distanceBetween(a.imag(), b.imag()));
  } else if constexpr (kIsFloatStorage<T>) {
    const auto x = static_cast<double>(a), y = static_cast<double>(b);
    if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
    return std::isfinite(x) && std::isfinite(y) ? std::abs(x - y) : kInfinite;
  } else {
    return a == b ? 0 : kInfinite;
  }
}

// For each element, the distance of the furthest run.
std::vector<double> spreadOf(const Tensor& unrounded, std::span<const std::vector<Tensor>> runs,
                             size_t output) {
  std::vector<double> spread(static_cast<size_t>(unrounded.size()));
  visitElementType(unrounded.type(), [&]<typename T>() {
    const auto center = unrounded.values<T>();
    for (const std::vector<Tensor>& run : runs) {
      const auto values = run[output].values<T>();
      for (size_t i = 0; i < spread.size(); ++i)
        spread[i] = std::max(spread[i], distanceBetween(center[i], values[i]));
    }
  });
  return spread;
}

bool isZero(const Tensor& tensor, size_t element) {
  return visitElementType(tensor.type(), [&]<typename T>() {
    if constexpr (kIsComplexStorage<T>)
      return tensor.values<T>()[element] == T(0);
    else
      return static_cast<double>(static_cast<Computation<T>>(tensor.values<T>()[element])) == 0;
  });
}

// Raises each to the median of its neighbours. An element that is zero in all runs
// stays exact: it was masked, or never computed.
void raiseToNeighbours(const Tensor& unrounded, std::vector<double>& spread) {
  const std::vector<double> own = spread;
  for (size_t begin = 0; begin < own.size(); begin += kNeighbours) {
    const size_t end = std::min(begin + kNeighbours, own.size());
    const size_t from = end < kNeighbours ? 0 : end - kNeighbours;
    std::vector<double> sorted(own.begin() + static_cast<ptrdiff_t>(from),
                               own.begin() + static_cast<ptrdiff_t>(end));
    const auto middle = sorted.begin() + std::ssize(sorted) / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (!std::isfinite(*middle)) continue;
    for (size_t i = begin; i < end; ++i)
      if (own[i] < *middle && !(own[i] == 0 && isZero(unrounded, i))) spread[i] = *middle;
  }
}

const Comparator* comparatorOf(const Golden& golden, size_t output) {
  const Comparator& comparator = golden.comparators[golden.comparators.size() == 1 ? 0 : output];
  const bool looksAtElements = comparator.kind == Comparator::Kind::kExact ||
                               comparator.kind == Comparator::Kind::kElementwise;
  return looksAtElements ? &comparator : nullptr;
}

Status checkOutputs(const Golden& golden, std::span<const Tensor> outputs) {
  const auto same = [](const Tensor& a, const Tensor& b) { return a.has(b.type(), b.shape()); };
  if (std::ranges::equal(outputs, golden.expected, same)) return {};
  return badInput("the run gave other outputs than the golden expects");
}

}  // namespace

double NoiseScale::at(int64_t element) const {
  if (codes.size() == 0) return 0;
  const auto code = codes.values<uint8_t>()[codes.size() == 1 ? 0 : static_cast<size_t>(element)];
  if (code == 0) return 0;
  if (code == kNotComparable) return kInfinite;
  const int64_t halves = lowest + code - 1;
  const double octaves =
      std::ldexp(1.0, static_cast<int>(std::clamp<int64_t>(halves >> 1, -2000, 2000)));
  return (halves & 1) != 0 ? octaves * std::numbers::sqrt2 : octaves;
}

NoiseScale NoiseScale::of(std::span<const double> scales, const Shape& shape) {
  NoiseScale made;
  std::optional<int64_t> least, most;
  for (const double scale : scales) {
    if (scale == 0 || !std::isfinite(scale)) continue;
    const int64_t halves = halfOctaves(scale);
    least = std::min(least.value_or(halves), halves);
    most = std::max(most.value_or(halves), halves);
  }
  if (most) made.lowest = std::max(*least, *most - (kLargestCode - 1));
  std::vector<uint8_t> codes;
  for (const double scale : scales)
    codes.push_back(scale == 0              ? uint8_t{0}
                    : !std::isfinite(scale) ? kNotComparable
                                            : static_cast<uint8_t>(std::max<int64_t>(
                                                  halfOctaves(scale) - made.lowest + 1, 1)));
  if (std::ranges::all_of(codes, [](uint8_t code) { return code == 0; })) return made;
  const bool uniform =
      std::ranges::all_of(codes, [&](uint8_t code) { return code == codes.front(); });
  made.codes = Tensor(ElementType::kUi8, uniform ? Shape{} : shape);
  std::ranges::copy(std::span(codes).first(static_cast<size_t>(made.codes.size())),
                    made.codes.mutableValues<uint8_t>().begin());
  return made;
}

Result<std::optional<Noise>> noiseOf(const Golden& golden, std::vector<int64_t> seeds,
                                     std::span<const Tensor> unrounded,
                                     std::span<const std::vector<Tensor>> runs) {
  RETURN_IF_ERROR(checkOutputs(golden, unrounded));
  for (const std::vector<Tensor>& run : runs) RETURN_IF_ERROR(checkOutputs(golden, run));
  Noise noise{std::move(seeds), {}};
  bool any = false;
  for (size_t i = 0; i < golden.expected.size(); ++i) {
    const Comparator* comparator = comparatorOf(golden, i);
    NoiseScale& scale = noise.outputs.emplace_back();
    if (comparator == nullptr) continue;
    std::vector<double> spread = spreadOf(unrounded[i], runs, i);
    if (isFloat(realPart(unrounded[i].type()))) {
      raiseToNeighbours(unrounded[i], spread);
      const std::vector<Allowance> allowed = allowances(*comparator, golden.expected[i]);
      for (size_t element = 0; element < spread.size(); ++element)
        if (kNoiseMultiple * spread[element] <= allowed[element].allowed) spread[element] = 0;
    }
    scale = NoiseScale::of(spread, golden.expected[i].shape());
    any |= !scale.everywhereZero();
  }
  if (!any) return std::nullopt;
  return noise;
}

std::vector<DetectionLimit> detectionLimits(const Golden& golden) {
  std::vector<DetectionLimit> limits;
  for (size_t i = 0; i < golden.expected.size(); ++i) {
    DetectionLimit& limit = limits.emplace_back();
    const Comparator* comparator = comparatorOf(golden, i);
    limit.byMeaning = comparator == nullptr;
    if (limit.byMeaning) continue;
    const NoiseScale none, &noise = golden.noise ? golden.noise->outputs[i] : none;
    limit.exact = !isFloat(realPart(golden.expected[i].type()));
    if (limit.exact) {
      limit.elements = golden.expected[i].size();
      for (int64_t element = 0; element < limit.elements && !noise.everywhereZero(); ++element)
        limit.notComparable += noise.at(element) > 0;
      continue;
    }
    std::vector<double> errors;
    const auto allowed = allowances(*comparator, golden.expected[i]);
    for (size_t element = 0; element < allowed.size(); ++element) {
      const Allowance& one = allowed[element];
      if (one.magnitude == 0) continue;
      ++limit.elements;
      const double scale = noise.at(static_cast<int64_t>(element));
      if (scale >= one.magnitude) {
        ++limit.notComparable;
        continue;
      }
      errors.push_back(std::max({one.allowed, kNoiseMultiple * scale, one.spacing}) /
                       one.magnitude);
      if (errors.back() <= limit.worst) continue;
      limit.worst = errors.back();
      limit.worstElement = static_cast<int64_t>(element);
    }
    if (errors.empty()) continue;
    const auto middle = errors.begin() + std::ssize(errors) / 2;
    std::ranges::nth_element(errors, middle);
    limit.median = *middle;
  }
  return limits;
}

std::string describe(const DetectionLimit& limit) {
  if (limit.byMeaning) return "none for single elements: it is compared by meaning";
  if (limit.elements == 0) return "none: it has no element but zeros, NaN and infinity";
  if (limit.notComparable == limit.elements)
    return fmt::format("none: roundings scatter all {} elements by as much as they are large",
                       limit.elements);
  std::string text = limit.exact ? std::string("any difference (of integers")
                                 : fmt::format("{:.2g} (worst {:.2g}", limit.median, limit.worst);
  if (limit.notComparable > 0)
    text +=
        fmt::format("; {} of {} elements are not comparable", limit.notComparable, limit.elements);
  return text + ")";
}

nlohmann::json toJson(std::span<const DetectionLimit> limits) {
  nlohmann::json list = nlohmann::json::array();
  for (const DetectionLimit& limit : limits) {
    nlohmann::json one{{"by_meaning", limit.byMeaning},
                       {"elements", limit.elements},
                       {"not_comparable", limit.notComparable}};
    if (limit.median > 0) one.update({{"median", limit.median}, {"worst", limit.worst}});
    list.push_back(std::move(one));
  }
  return list;
}

ElementScale elementScale(const Golden& golden, size_t output, int64_t element) {
  const Tensor& expected = golden.expected[output];
  ElementScale one;
  one.output = output;
  one.place = expected.rank() == 0 ? "" : formatIndex(expected.shape(), element);
  one.expected = formatElement(expected, element);
  const Comparator* comparator = comparatorOf(golden, output);
  one.byMeaning = comparator == nullptr;
  if (one.byMeaning) return one;
  const Allowance allowance = allowances(*comparator, expected)[static_cast<size_t>(element)];
  one.allowed = allowance.allowed;
  if (golden.noise) one.scale = golden.noise->outputs[output].at(element);
  one.isComparable = isFloat(realPart(expected.type()))
                         ? one.scale == 0 || one.scale < allowance.magnitude
                         : one.scale == 0;
  return one;
}

Result<ElementScale> findElement(const Golden& golden, std::string text) {
  std::erase(text, ' ');
  std::vector<int64_t> numbers;  // The output, and its index.
  for (const char *at = text.data(), *end = at + text.size(); at < end;) {
    int64_t number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error == std::errc()) numbers.push_back(number);
    at = error == std::errc() ? after : at + 1;
  }
  std::vector<std::string> outputs;
  for (size_t i = 0; i < golden.expected.size(); ++i) {
    const Tensor& expected = golden.expected[i];
    outputs.push_back(fmt::format("{}: {}", i, describe(expected)));
    if (std::ssize(numbers) != expected.rank() + 1 || std::cmp_not_equal(numbers[0], i)) continue;
    int64_t element = 0;
    bool isInside = true;
    for (size_t d = 0; isInside && d + 1 < numbers.size(); ++d) {
      isInside = numbers[d + 1] >= 0 && numbers[d + 1] < expected.shape()[d];
      element = element * expected.shape()[d] + numbers[d + 1];
    }
    // Nothing else stands between the numbers.
    std::string spelled = fmt::format("{}{}", i, formatIndex(expected.shape(), element));
    std::erase(spelled, ' ');
    if (isInside && (spelled == text || spelled == text + "[]"))
      return elementScale(golden, i, element);
  }
  return usageError(
      "the golden has no element '{}'; one is written OUTPUT[INDEX, …], as in 0[3, 5], and the "
      "outputs are {}",
      text, fmt::join(outputs, "; "));
}

std::string describe(const ElementScale& element) {
  std::string text = fmt::format("{}{} = {}: ", element.output, element.place, element.expected);
  if (element.byMeaning) return text + "it is compared by meaning, and has no scale of its own";
  if (std::isinf(element.scale)) return text + "not comparable: roundings decide it";
  text += fmt::format("the comparator allows {:.2g}", element.allowed);
  if (element.scale == 0) return text + ", and roundings scatter it by less";
  return text + fmt::format(", roundings scatter it by {:.2g}, and {} times that is allowed{}",
                            element.scale, kNoiseMultiple,
                            element.isComparable ? "" : "; it is not comparable within that");
}

nlohmann::json toJson(const ElementScale& element) {
  return {{"output", element.output},          {"place", element.place},
          {"expected", element.expected},      {"by_meaning", element.byMeaning},
          {"allowed", element.allowed},        {"scale", element.scale},
          {"comparable", element.isComparable}};
}

}  // namespace vintage::golden
