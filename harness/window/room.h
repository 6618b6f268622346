// Every archived producer judged against every registered consumer under a policy.
#pragma once

namespace vintage::golden::base {}
namespace vintage::primitives::limitations {}
namespace vintage::archive::store {}
namespace vintage::harness::builds {}
namespace vintage::archive::records {}
namespace vintage::harness::replay {}

namespace vintage::harness::window {
using namespace golden::base;
using namespace primitives::limitations;
using namespace archive::store;
using namespace harness::builds;
using namespace archive::records;
using namespace harness::replay;
}  // namespace vintage::harness::window
