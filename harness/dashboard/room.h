// The pages of the dashboard: data that SQLite summed up, as JSON, and the files that show
// it in a browser. docs/dashboard.md describes both.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::harness::builds {}
namespace vintage::archive::records {}
namespace vintage::harness::replay {}
namespace vintage::harness::tables {}

namespace vintage::harness::dashboard {
using namespace golden::base;
using namespace archive::store;
using namespace harness::builds;
using namespace archive::records;
using namespace harness::replay;
using namespace harness::tables;
}  // namespace vintage::harness::dashboard
