#include <fmt/format.h>

#include "harness/engine/plan.h"

namespace vintage::harness::engine {

Result<size_t> staticBytes(const ValueType& type) {
  size_t total = 0;
  for (const ValueType& element : type.elements) {
    auto bytes = staticBytes(element);
    if (!bytes) return bytes;
    if (__builtin_add_overflow(total, *bytes, &total)) total = SIZE_MAX / 2;
  }
  if (type.kind != ValueType::Kind::kTensor) return total;
  size_t bytes = byteWidth(type.element);
  bool dynamic = false, empty = false;
  for (const int64_t dimension : type.shape) {
    if (dimension == kDynamicDimension) {
      dynamic = true;
    } else if (dimension < 0) {
      return failure(Error::Kind::kBadInput, fmt::format("a type has the dimension {}", dimension));
    } else if (dimension == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, static_cast<size_t>(dimension), &bytes) ||
               bytes > static_cast<size_t>(INT64_MAX) / 2) {
      return failure(Error::Kind::kResource, fmt::format("{} has more bytes than can be addressed",
                                                         describe(type.element, type.shape)));
    }
  }
  return dynamic || empty ? 0 : bytes;
}

}  // namespace vintage::harness::engine
