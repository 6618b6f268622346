// Artifacts made ready for a PJRT plugin: the program vintage-pjrt-prepare, which reads
// programs for the worker that may not link MLIR.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::archive::store {}
namespace vintage::harness::engine {}
namespace vintage::harness::consumers {}
namespace vintage::harness::consumers::embedded {}
namespace vintage::harness::consumers::pjrt {}

namespace vintage::harness::consumers::pjrt::preparation {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
using namespace golden::program;
using namespace golden::exported;
using namespace archive::store;
using namespace harness::engine;
using namespace harness::consumers;
using namespace harness::consumers::embedded;
using namespace harness::consumers::pjrt;
}  // namespace vintage::harness::consumers::pjrt::preparation
