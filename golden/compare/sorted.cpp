#include "golden/compare/comparator_kinds.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "golden/tensor/print.h"
#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

// Numbers that are equal in an order: zeros of either sign, and all NaN.
bool sameKey(const Tensor& a, int64_t at, const Tensor& b, int64_t bt) {
  return visitElementType(a.type(), [&]<typename T>() {
    const T& left = a.values<T>()[static_cast<size_t>(at)];
    const T& right = b.values<T>()[static_cast<size_t>(bt)];
    if (std::memcmp(&left, &right, sizeof(T)) == 0) return true;
    if constexpr (kIsNarrowFloat<T>) {
      const auto l = static_cast<float>(left), r = static_cast<float>(right);
      return l == r || (l != l && r != r);
    } else if constexpr (kIsFloatStorage<T> || kIsComplexStorage<T>) {
      return left == right || (left != left && right != right);
    } else {
      return false;
    }
  });
}

// Without the outputs of role `left`.
std::string rowAt(const Comparator& comparator, std::span<const Tensor> tensors, int64_t place,
                  std::string_view left) {
  std::string row;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (comparator.roles[i] == left) continue;
    const Tensor& tensor = tensors[i];
    const size_t width = byteWidth(tensor.type());
    row.append(
        reinterpret_cast<const char*>(tensor.bytes().data()) + static_cast<size_t>(place) * width,
        width);
  }
  return row;
}

std::vector<std::string> rowsAt(const Comparator& comparator, std::span<const Tensor> tensors,
                                int64_t first, int64_t count, int64_t stride,
                                std::string_view left) {
  std::vector<std::string> rows;
  for (int64_t i = 0; i < count; ++i)
    rows.push_back(rowAt(comparator, tensors, first + i * stride, left));
  std::ranges::sort(rows);
  return rows;
}

// The lanes of a shape along one of its dimensions.
struct Lanes {
  int64_t length = 0, stride = 1, count = 0;
  int64_t first(int64_t lane) const { return lane / stride * stride * length + lane % stride; }
};

Lanes lanesOf(const Shape& shape, int64_t dimension) {
  Lanes lanes;
  lanes.length = shape[static_cast<size_t>(dimension)];
  for (auto d = static_cast<size_t>(dimension) + 1; d < shape.size(); ++d) lanes.stride *= shape[d];
  lanes.count = lanes.length == 0 ? 0 : elementCount(shape) / lanes.length;
  return lanes;
}

// Numbers that an order compares; NaN where they are none.
double orderedNumber(const Tensor& tensor, int64_t at) {
  return visitElementType(tensor.type(), [&]<typename T>() -> double {
    if constexpr (kIsComplexStorage<T>)
      return std::nan("");
    else
      return static_cast<double>(
          static_cast<Computation<T>>(tensor.values<T>()[static_cast<size_t>(at)]));
  });
}

}  // namespace

bool mayBeApproximateTopK(const Comparator& comparator, const OpenValues& open,
                          std::span<const Tensor> inputs, std::span<const Tensor> expected,
                          std::span<const Tensor> actual) {
  const auto outputOf = [&](std::string_view role) {
    return static_cast<size_t>(std::ranges::find(comparator.roles, role) -
                               comparator.roles.begin());
  };
  const size_t key = outputOf("key"), chosen = outputOf("chosen");
  if (expected.size() != 2 || key > 1 || chosen > 1) return false;
  const Shape& shape = expected[0].shape();
  const int64_t rank = expected[0].rank();
  const int64_t dimension = comparator.dimension + (comparator.dimension < 0 ? rank : 0);
  if (dimension < 0 || dimension >= rank || expected[1].shape() != shape) return false;
  const Lanes lanes = lanesOf(shape, dimension);
  std::optional<Lanes> whole;
  const Tensor* operand = nullptr;
  if (open.operand && *open.operand < inputs.size()) {
    operand = &inputs[*open.operand];
    if (operand->type() != actual[key].type() || operand->rank() != rank) return false;
    whole = lanesOf(operand->shape(), dimension);
    if (whole->count != lanes.count) return false;
  }
  const auto better = [&](double one, double other) {
    return open.largest ? one > other : one < other;
  };
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    std::set<double> seen;
    for (int64_t i = 0; i < lanes.length; ++i) {
      const int64_t at = lanes.first(lane) + i * lanes.stride;
      const double found = orderedNumber(actual[key], at);
      const double index = orderedNumber(actual[chosen], at);
      if (std::isnan(found) || better(found, orderedNumber(expected[key], at)) ||
          (i > 0 && better(found, orderedNumber(actual[key], at - lanes.stride))) ||
          !seen.insert(index).second)
        return false;
      if (operand == nullptr) continue;
      if (!(index >= 0 && index < static_cast<double>(whole->length))) return false;
      const int64_t place = whole->first(lane) + static_cast<int64_t>(index) * whole->stride;
      if (!sameKey(actual[key], at, *operand, place)) return false;
    }
  }
  return true;
}

void compareSorted(const Comparator& comparator, std::span<const Tensor> expected,
                   std::span<const Tensor> actual, Comparison& comparison) {
  const bool fits = !expected.empty() && comparator.roles.size() == expected.size() &&
                    std::ranges::count(comparator.roles, "key") > 0 &&
                    std::ranges::all_of(expected, [&](const Tensor& output) {
                      return output.shape() == expected[0].shape();
                    });
  const int64_t rank = fits ? expected[0].rank() : 0;
  const int64_t dimension = comparator.dimension + (comparator.dimension < 0 ? rank : 0);
  if (!fits || dimension < 0 || dimension >= rank)
    return comparison.differ(
        fmt::format("the comparator sorted needs outputs of one shape, a role key or "
                    "value for each, and one of their dimensions; it has {} roles for "
                    "{} outputs and dimension {}",
                    comparator.roles.size(), expected.size(), comparator.dimension));
  const Shape& shape = expected[0].shape();
  const Lanes lanes = lanesOf(shape, dimension);
  const int64_t length = lanes.length, stride = lanes.stride;
  const auto sameKeys = [&](std::span<const Tensor> a, int64_t at, std::span<const Tensor> b,
                            int64_t bt) {
    for (size_t i = 0; i < a.size(); ++i)
      if (comparator.roles[i] == "key" && !sameKey(a[i], at, b[i], bt)) return i;
    return a.size();
  };
  const bool chooses = std::ranges::find(comparator.roles, "chosen") != comparator.roles.end();
  for (int64_t lane = 0; lane < lanes.count; ++lane) {
    const int64_t first = lanes.first(lane);
    for (int64_t i = 0; i < length; ++i) {
      const int64_t place = first + i * stride;
      const size_t output = sameKeys(expected, place, actual, place);
      if (output < expected.size())
        comparison.differ(fmt::format(
            "output {}{}: the key {} is expected, found {}", output, formatIndex(shape, place),
            formatElement(expected[output], place), formatElement(actual[output], place)));
    }
    for (int64_t begin = 0, end = 0; begin < length; begin = end) {
      const int64_t start = first + begin * stride;
      for (end = begin + 1; end < length; ++end)
        if (sameKeys(expected, start, expected, first + end * stride) < expected.size()) break;
      // The last of the chosen share their key with some that were not.
      const std::string_view left = end == length ? "chosen" : "";
      if (rowsAt(comparator, expected, start, end - begin, stride, left) !=
          rowsAt(comparator, actual, start, end - begin, stride, left))
        comparison.differ(
            fmt::format("the rows from {} on that share a key are not the expected ones, in "
                        "whatever order ({} of them)",
                        formatIndex(shape, start), end - begin));
    }
    // Nothing is chosen twice, unless it is there twice.
    const auto distinct = [&](std::span<const Tensor> tensors) {
      auto rows = rowsAt(comparator, tensors, first, length, stride, "key");
      return std::ranges::adjacent_find(rows) == rows.end();
    };
    if (chooses && distinct(expected) && !distinct(actual))
      comparison.differ(
          fmt::format("of the rows from {} on one is there twice", formatIndex(shape, first)));
  }
}

}  // namespace vintage::golden
