// Why an artifact is judged as it is: what it needs, who reads it, which rule applied.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::exported {}
namespace vintage::primitives::limitations {}
namespace vintage::archive::records {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers::python {}
namespace vintage::harness::builds {}
namespace vintage::harness::importer {}
namespace vintage::harness::replay {}
namespace vintage::harness::model {}
namespace vintage::reports {}

namespace vintage::harness::explain {
using namespace golden::base;
using namespace golden::exported;
using namespace primitives::limitations;
using namespace archive::records;
using namespace archive::store;
using namespace harness::consumers::python;
using namespace harness::builds;
using namespace harness::importer;
using namespace harness::replay;
using namespace harness::model;
using namespace reports;
}  // namespace vintage::harness::explain
