// Tensors of given values.
#pragma once

#include <algorithm>
#include <vector>

#include "golden/tensor/tensor.h"

namespace vintage::tests {

template <typename T>
golden::Tensor filled(golden::ElementType type, golden::Shape shape, const std::vector<T>& values) {
  golden::Tensor tensor(type, std::move(shape));
  std::ranges::copy(values, tensor.mutableValues<T>().begin());
  return tensor;
}

inline golden::Tensor floats(golden::Shape shape, const std::vector<float>& values) {
  return filled(golden::ElementType::kF32, std::move(shape), values);
}
inline golden::Tensor ints(golden::Shape shape, const std::vector<int32_t>& values) {
  return filled(golden::ElementType::kI32, std::move(shape), values);
}

}  // namespace vintage::tests
