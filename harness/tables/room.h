// The pages of limitations, accuracy and measured windows, from recorded outcomes.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::archive::records {}
namespace vintage::harness::replay {}
namespace vintage::harness::window {}
namespace vintage::reports {}

namespace vintage::harness::tables {
using namespace golden::base;
using namespace archive::store;
using namespace archive::records;
using namespace harness::replay;
using namespace harness::window;
using namespace reports;
}  // namespace vintage::harness::tables
