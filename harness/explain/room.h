// Why an artifact is judged as it is: what it needs, who reads it, which rule applied.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::exported {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers::python {}
namespace vintage::harness::builds {}
namespace vintage::harness::verdict {}
namespace vintage::harness::importer {}
namespace vintage::harness::replay {}
namespace vintage::harness::model {}

namespace vintage::harness::explain {
using namespace golden::base;
using namespace golden::exported;
using namespace archive::store;
using namespace harness::consumers::python;
using namespace harness::builds;
using namespace harness::verdict;
using namespace harness::importer;
using namespace harness::replay;
using namespace harness::model;
}  // namespace vintage::harness::explain
