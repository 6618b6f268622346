// Arrays of StableHLO's element types: dense, row-major, little-endian; their
// floating-point formats, distances in units in the last place, and NumPy's files.
#pragma once

namespace vintage::golden::base {}

namespace vintage::golden::tensor {
using namespace golden::base;
}  // namespace vintage::golden::tensor
