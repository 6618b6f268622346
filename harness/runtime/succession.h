// Which custom-call target took the place of which: T_NEW and its T.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/runtime/room.h"

namespace vintage::harness::runtime {

// The targets that `target` replaced, of those that JAX ever guaranteed: the
// same name without "_ffi" or "_v2", and those that were merged into it. Empty:
// none is known.
std::vector<std::string> replacedTargets(std::string_view target);

}  // namespace vintage::harness::runtime
