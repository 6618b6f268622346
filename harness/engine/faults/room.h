// Deliberate errors in the engine, for the workers that tests start.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::harness::engine {}

namespace vintage::harness::engine::faults {
using namespace golden::base;
using namespace golden::tensor;
using namespace harness::engine;
}  // namespace vintage::harness::engine::faults
