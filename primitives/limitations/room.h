// What is declared not to work, with its reason.
#pragma once

namespace vintage::golden::base {}
namespace vintage::primitives::catalogue {}
namespace vintage::archive::records {}

namespace vintage::primitives::limitations {
using namespace golden::base;
using namespace primitives::catalogue;
using namespace archive::records;
}  // namespace vintage::primitives::limitations
