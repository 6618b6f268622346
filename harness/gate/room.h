// Whether a change of what a runtime registers or writes is legal today, and when it will be.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::exported {}
namespace vintage::archive::store {}
namespace vintage::archive::records {}
namespace vintage::reports {}

namespace vintage::harness::gate {
using namespace golden::base;
using namespace golden::exported;
using namespace archive::store;
using namespace archive::records;
using namespace reports;
}  // namespace vintage::harness::gate
