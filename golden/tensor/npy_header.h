// The header of a .npy file: a Python dictionary literal with three keys.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::golden {

struct NpyHeader {
  // Taken apart from NumPy's type string "<f4": byte order, kind, bytes.
  char byteOrder = '|';  // '<', '>' or '|' (not applicable).
  char kind = 'V';       // b, i, u, f, c, V
  int width = 0;
  bool fortranOrder = false;
  Shape shape;
  size_t dataOffset = 0;  // Where the elements begin in the file.
};

// `file` is the whole file. Errors name the place in the header.
Result<NpyHeader> parseNpyHeader(std::span<const std::byte> file);

// Everything before the elements, padded to a multiple of 64 bytes.
std::string writeNpyHeader(std::string_view descr, std::span<const int64_t> shape);

}  // namespace vintage::golden
