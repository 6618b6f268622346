// Archived artifacts executed on a build and compared with their goldens, with accuracy
// and with what the failures have in common.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::golden::compare {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers {}
namespace vintage::harness::builds {}
namespace vintage::archive::records {}

namespace vintage::harness::replay {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
using namespace golden::program;
using namespace golden::exported;
using namespace golden::compare;
using namespace archive::store;
using namespace harness::consumers;
using namespace harness::builds;
using namespace archive::records;
}  // namespace vintage::harness::replay
