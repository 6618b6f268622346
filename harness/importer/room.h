// Artifacts that others wrote: recognized, inspected in a process of their own, imported.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::golden::module {}
namespace vintage::golden::program {}
namespace vintage::golden::exported {}
namespace vintage::golden::oracle {}
namespace vintage::golden::compare {}
namespace vintage::archive::store {}

namespace vintage::harness::importer {
using namespace golden::base;
using namespace golden::tensor;
using namespace golden::module;
using namespace golden::program;
using namespace golden::exported;
using namespace golden::oracle;
using namespace golden::compare;
using namespace archive::store;
}  // namespace vintage::harness::importer
