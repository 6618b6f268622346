// The position of the largest or the smallest element, as JAX folds it.
#pragma once

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/room.h"

namespace vintage::primitives::catalogue {

// Of the callee's argument along `dimension`, counted in `index`.
SsaValues emitArgumentReduction(FunctionWriter& callee, bool largest, int64_t dimension,
                             ElementType index);

}  // namespace vintage::primitives::catalogue
