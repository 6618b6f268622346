// stablehlo.einsum and stablehlo.unary_einsum.
#pragma once

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

Result<Kernel> makeEinsum(const KernelRequest& request);

}  // namespace vintage::harness::engine
