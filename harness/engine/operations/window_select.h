// stablehlo.select_and_scatter.
#pragma once

#include "harness/engine/kernel.h"

namespace vintage {

Result<Kernel> makeSelectAndScatter(const KernelRequest& request);

}  // namespace vintage
