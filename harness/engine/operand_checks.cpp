#include "harness/engine/operand_checks.h"

#include <limits>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;

int64_t integerElement(const Tensor& tensor, int64_t index) {
  const auto at = [&]<typename T>(T) { return tensor.values<T>()[static_cast<size_t>(index)]; };
  const bool isUnsigned = !isSignedInteger(tensor.type());
  switch (byteWidth(tensor.type())) {
    case 1:
      return isUnsigned ? int64_t{at(uint8_t{})} : int64_t{at(int8_t{})};
    case 2:
      return isUnsigned ? int64_t{at(uint16_t{})} : int64_t{at(int16_t{})};
    case 4:
      return isUnsigned ? int64_t{at(uint32_t{})} : int64_t{at(int32_t{})};
    default: {
      if (!isUnsigned) return at(int64_t{});
      const uint64_t value = at(uint64_t{});
      constexpr auto kLargest = std::numeric_limits<int64_t>::max();
      return value > uint64_t{kLargest} ? kLargest : static_cast<int64_t>(value);
    }
  }
}

std::vector<int64_t> integerElements(const Tensor& tensor) {
  std::vector<int64_t> elements(static_cast<size_t>(tensor.size()));
  for (size_t i = 0; i < elements.size(); ++i)
    elements[i] = integerElement(tensor, static_cast<int64_t>(i));
  return elements;
}

Status checkDimensions(std::string_view operation, std::string_view attribute,
                       const std::vector<int64_t>& dimensions, int64_t rank) {
  std::vector<bool> seen(static_cast<size_t>(rank));
  for (const int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= rank)
      return badInput("{}: '{}' names dimension {} of a tensor of rank {}", operation, attribute,
                      dimension, rank);
    if (seen[static_cast<size_t>(dimension)])
      return badInput("{}: '{}' names dimension {} twice", operation, attribute, dimension);
    seen[static_cast<size_t>(dimension)] = true;
  }
  return {};
}

Status checkLength(std::string_view operation, std::string_view attribute, size_t found,
                   size_t expected) {
  if (found == expected) return {};
  return badInput("{}: '{}' has {} entries; {} are needed", operation, attribute, found, expected);
}

}  // namespace vintage::harness
