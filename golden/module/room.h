// A program as plain data with decoded attributes: what the engine plans from. Needs no
// MLIR, so that whoever only reads programs compiles in a second.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}

namespace vintage::golden::module {
using namespace golden::base;
using namespace golden::tensor;
}  // namespace vintage::golden::module
