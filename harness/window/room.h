// Every archived producer judged against every registered consumer under a policy.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::harness::runtime {}
namespace vintage::harness::builds {}
namespace vintage::harness::verdict {}
namespace vintage::harness::replay {}
namespace vintage::reports {}

namespace vintage::harness::window {
using namespace golden::base;
using namespace archive::store;
using namespace harness::runtime;
using namespace harness::builds;
using namespace harness::verdict;
using namespace harness::replay;
using namespace reports;
}  // namespace vintage::harness::window
