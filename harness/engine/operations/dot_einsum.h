// stablehlo.einsum and stablehlo.unary_einsum.
#pragma once

#include "harness/engine/kernel.h"

namespace vintage {

Result<Kernel> makeEinsum(const KernelRequest& request);

}  // namespace vintage
