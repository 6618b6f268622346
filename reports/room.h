// What people read: tables, run reports, JUnit and SARIF, rendered from plain data.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}
namespace vintage::archive::records {}

namespace vintage::reports {
using namespace golden::base;
using namespace golden::tensor;
using namespace archive::records;
}  // namespace vintage::reports
