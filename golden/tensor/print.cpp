#include "golden/tensor/print.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "golden/tensor/visit.h"

namespace vintage::golden {
namespace {

constexpr int64_t kEdge = 3;  // Elements that are shown at each end.

template <typename T>
std::string formatReal(T value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

template <typename T>
  requires kIsNarrowFloat<T>
std::string formatReal(T value) {
  const float exact = static_cast<float>(value);
  if (!std::isfinite(exact)) return formatReal(exact);
  for (int digits = 1; digits < 9; ++digits) {
    std::string text = fmt::format("{:.{}g}", exact, digits);
    float read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (T(read).bits() == value.bits()) return text;
  }
  return fmt::format("{}", exact);
}

template <typename T>
std::string formatValue(T value) {
  if constexpr (kIsPredicateStorage<T>)
    return value ? "true" : "false";
  else if constexpr (kIsComplexStorage<T>)
    return fmt::format("({},{})", formatReal(value.real()), formatReal(value.imag()));
  else if constexpr (kIsFloatStorage<T>)
    return formatReal(value);
  else
    return fmt::format("{}", static_cast<Computation<T>>(value));
}

struct Printer {
  const Tensor& tensor;
  bool elide;
  std::string text;

  void print(size_t dimension, int64_t offset, int64_t block) {
    if (dimension == tensor.shape().size()) {
      text += formatElement(tensor, offset);
      return;
    }
    const int64_t length = tensor.shape()[dimension];
    block = length == 0 ? 0 : block / length;
    text += '[';
    for (int64_t i = 0; i < length; ++i) {
      if (i > 0) text += ", ";
      if (elide && length > 2 * kEdge + 1 && i == kEdge) {
        text += "…, ";
        i = length - kEdge;
      }
      print(dimension + 1, offset + i * block, block);
    }
    text += ']';
  }
};

}  // namespace

std::string formatElement(const Tensor& tensor, int64_t index) {
  return visitElementType(tensor.type(), [&]<typename T>() {
    return formatValue(tensor.values<T>()[static_cast<size_t>(index)]);
  });
}

std::string formatIndex(std::span<const int64_t> shape, int64_t index) {
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t length = shape[d] > 0 ? shape[d] : 1;
    text = fmt::format("{}{}{}", index % length, text.empty() ? "" : ", ", text);
    index /= length;
  }
  return "[" + text + "]";
}

std::string formatTensor(const Tensor& tensor, int64_t largestElements) {
  if (tensor.size() == 0) return "[]";
  Printer printer{tensor, tensor.size() > largestElements, {}};
  printer.print(0, 0, tensor.size());
  return std::move(printer.text);
}

}  // namespace vintage::golden
