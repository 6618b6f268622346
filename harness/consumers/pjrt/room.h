// Any PJRT plugin as a consumer: the program vintage-pjrt-worker. It loads libraries that
// nobody here wrote, so it links neither MLIR nor Python; harness/consumers/pjrt/preparation
// is the process beside it that reads programs.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::exported {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers {}

namespace vintage::harness::consumers::pjrt {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::exported;
using namespace archive::store;
using namespace harness::consumers;
}  // namespace vintage::harness::consumers::pjrt
