// A user's own models: kept with inputs and outputs, given back as files, and run on one build.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::exported {}
namespace vintage::golden::compare {}
namespace vintage::primitives::catalogue {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers {}
namespace vintage::harness::consumers::embedded {}
namespace vintage::harness::builds {}
namespace vintage::harness::importer {}
namespace vintage::harness::replay {}

namespace vintage::harness::model {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::exported;
using namespace golden::compare;
using namespace primitives::catalogue;
using namespace archive::store;
using namespace harness::consumers;
using namespace harness::consumers::embedded;
using namespace harness::builds;
using namespace harness::importer;
using namespace harness::replay;
}  // namespace vintage::harness::model
