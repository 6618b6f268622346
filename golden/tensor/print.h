// Tensors as text, for messages and `vintage show`.
#pragma once

#include <cstdint>
#include <string>

#include "golden/tensor/tensor.h"

namespace vintage::golden {

// The shortest decimal number that reads back to the same element: "0.1",
// "true", "-8", "nan", "inf", "(1,-2.5)" for complex numbers. `index` counts in
// row-major order and must exist.
std::string formatElement(const Tensor& tensor, int64_t index);

// Row-major index as "[1, 2]", for messages; "[]" of a scalar.
std::string formatIndex(std::span<const int64_t> shape, int64_t index);

// Nested brackets: "[[1, 2], [3, 4]]". Where there are more than
// `largestElements`, only the first and last three of each long dimension.
std::string formatTensor(const Tensor& tensor, int64_t largestElements = 1000);

}  // namespace vintage::golden
