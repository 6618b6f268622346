// Tonight's artifacts exported and archived, both windows replayed, one verdict.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::primitives::catalogue {}
namespace vintage::primitives::limitations {}
namespace vintage::archive::store {}
namespace vintage::harness::importer {}
namespace vintage::harness::consumers::python {}
namespace vintage::harness::builds {}
namespace vintage::archive::records {}
namespace vintage::harness::replay {}
namespace vintage::reports {}

namespace vintage::harness::nightly {
using namespace golden::base;
using namespace golden::program;
using namespace golden::exported;
using namespace primitives::catalogue;
using namespace primitives::limitations;
using namespace archive::store;
using namespace harness::importer;
using namespace harness::consumers::python;
using namespace harness::builds;
using namespace archive::records;
using namespace harness::replay;
using namespace reports;
}  // namespace vintage::harness::nightly
