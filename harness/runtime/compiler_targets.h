// Custom-call targets that XLA's compiler replaces before anything runs.
#pragma once

#include <string_view>

#include "harness/runtime/room.h"

namespace vintage::harness::runtime {

// Whether the compiler knows it by itself: it stands in no registry, or in some by chance, so
// that its absence from one says nothing (docs/gate/facts.md).
bool isKnownToCompiler(std::string_view target);

}  // namespace vintage::harness::runtime
