// The worker protocol and the pool of worker processes; every consumer is behind it.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::archive::records {}
namespace vintage::archive::store {}

namespace vintage::harness::consumers {
using namespace golden::base;
using namespace golden::tensor;
using namespace archive::records;
using namespace archive::store;
}  // namespace vintage::harness::consumers
