// Real releases of frameworks as builds: where the Python programs that drive them lie, how
// they are heard, the environments that they make, and what releases export. What is shared by
// those programs is the package vintage_python; each framework has a package of its own beside it.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::archive::records {}
namespace vintage::harness::builds {}
namespace vintage::harness::importer {}

namespace vintage::harness::consumers::python {
using namespace golden::base;
using namespace archive::store;
using namespace archive::records;
using namespace harness::builds;
using namespace harness::importer;
}  // namespace vintage::harness::consumers::python
