// The first bad build, the first bad commit and the first operation whose value differs.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::program {}
namespace vintage::golden::compare {}
namespace vintage::primitives::limitations {}
namespace vintage::archive::records {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers {}
namespace vintage::harness::consumers::embedded {}
namespace vintage::harness::builds {}
namespace vintage::harness::replay {}
namespace vintage::reports {}

namespace vintage::harness::bisect {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::program;
using namespace golden::compare;
using namespace primitives::limitations;
using namespace archive::records;
using namespace archive::store;
using namespace harness::consumers;
using namespace harness::consumers::embedded;
using namespace harness::builds;
using namespace harness::replay;
using namespace reports;
}  // namespace vintage::harness::bisect
