// The embedded engine: plans a program from its module tree and executes it. Links no MLIR.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}

namespace vintage::harness::engine {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
}  // namespace vintage::harness::engine
