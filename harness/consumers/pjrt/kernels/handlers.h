// The engine's typed LAPACK targets as functions that XLA's FFI calls.
#pragma once

#include "harness/consumers/pjrt/kernel_table.h"
#include "harness/consumers/pjrt/kernels/room.h"

namespace vintage::harness::consumers::pjrt::kernels {

// One handler for each of typedLapackTargets(), in that order; made once.
const KernelTable& lapackKernelTable();

}  // namespace vintage::harness::consumers::pjrt::kernels
