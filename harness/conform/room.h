// Self-checking programs by others, executed and round-tripped.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::harness::engine {}

namespace vintage::harness::conform {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
using namespace golden::program;
using namespace harness::engine;
}  // namespace vintage::harness::conform
