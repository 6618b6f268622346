// stablehlo.select_and_scatter.
#pragma once

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

Result<Kernel> makeSelectAndScatter(const KernelRequest& request);

}  // namespace vintage::harness::engine
