// What real releases really do with each other's artifacts: measured over an archive, and
// written as the pages of docs/measured.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::harness::builds {}
namespace vintage::archive::records {}
namespace vintage::harness::consumers::python {}
namespace vintage::harness::replay {}
namespace vintage::harness::window {}
namespace vintage::reports {}

namespace vintage::harness::history {
using namespace golden::base;
using namespace archive::store;
using namespace harness::builds;
using namespace archive::records;
using namespace harness::consumers::python;
using namespace harness::replay;
using namespace harness::window;
using namespace reports;
}  // namespace vintage::harness::history
