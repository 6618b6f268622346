// The embedded engine behind the worker protocol: the program vintage-worker.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::archive::store {}
namespace vintage::harness::engine {}
namespace vintage::archive::records {}
namespace vintage::harness::consumers {}

namespace vintage::harness::consumers::embedded {
using namespace golden::base;
using namespace golden::module;
using namespace golden::program;
using namespace golden::exported;
using namespace archive::store;
using namespace harness::engine;
using namespace archive::records;
using namespace harness::consumers;
}  // namespace vintage::harness::consumers::embedded
