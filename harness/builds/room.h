// Dated builds: registered, described, kept and started; releases that are known by facts
// only; whether one would load an artifact.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::harness::consumers {}
namespace vintage::harness::consumers::embedded {}
namespace vintage::archive::records {}

namespace vintage::harness::builds {
using namespace golden::base;
using namespace archive::store;
using namespace harness::consumers;
using namespace harness::consumers::embedded;
using namespace archive::records;
}  // namespace vintage::harness::builds
