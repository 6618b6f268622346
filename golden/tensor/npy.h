// NumPy's .npy files, format versions 1 to 3: numpy.lib.format's specification
// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
//
// NumPy has no name for bf16 and the other types of ml_dtypes; they are saved
// as raw bytes ("|V2", or "<f1"), so that the caller has to state the element type.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

// `name` (a path) appears in messages. C and Fortran order, either byte order; the result is in
// row-major order. With `expected` the elements must have that type, and raw bytes are interpreted
// as that type. Bytes after the array, and predicates other than 0 and 1, are errors.
Result<Tensor> readNpy(std::span<const std::byte> bytes, std::string_view name,
                       std::optional<ElementType> expected = std::nullopt);

// Version 1.0, row-major, little-endian; the same bytes as numpy.save writes.
std::vector<std::byte> writeNpy(const Tensor& tensor);

}  // namespace vintage::golden
