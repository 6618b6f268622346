// Declarations of uses that do not work, with reasons.
#pragma once

namespace vintage::golden::base {}
namespace vintage::primitives::catalogue {}
namespace vintage::archive::records {}

namespace vintage::primitives::limitations {
using namespace golden::base;
using namespace primitives::catalogue;
using namespace archive::records;
}  // namespace vintage::primitives::limitations
