// The factories of CHLO operations that are not elementwise.
#pragma once

#include "harness/engine/kernel.h"
#include "harness/engine/room.h"

namespace vintage::harness::engine {

Result<Kernel> makeChloConstant(const KernelRequest& request);
Result<Kernel> makeConstantLike(const KernelRequest& request);
Result<Kernel> makeRaggedDot(const KernelRequest& request);
Result<Kernel> makeScan(const KernelRequest& request);
Result<Kernel> makeTopK(const KernelRequest& request);

}  // namespace vintage::harness::engine
