// Serialized Mosaic kernels of earlier versions.
#pragma once

#include <cstdint>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"

namespace vintage::golden {

// Gives every operation the form of kNewestMosaicVersion: attributes under their present names, and
// operandSegmentSizes wherever operands are in groups. `version` is that of the payload; those of
// 2023 without one are 1. kBadInput where an operation does not fit its version.
Status upgradeMosaicKernel(ModuleTree& kernel, int64_t version);

}  // namespace vintage::golden
