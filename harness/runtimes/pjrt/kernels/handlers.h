// The engine's typed LAPACK targets as functions that XLA's FFI calls.
#pragma once

#include "harness/runtimes/pjrt/c_api_ffi.h"

namespace vintage::harness {

// One handler for each of typedLapackTargets(), in that order; made once.
const KernelTable& lapackKernelTable();

}  // namespace vintage::harness
