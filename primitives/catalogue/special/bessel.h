// Bessel functions as derivatives of others use them.
#pragma once

#include "primitives/catalogue/room.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {

// exp(-|x|) I0(x), in f32 or f64.
Expression besselI0e(const Expression& x);

}  // namespace vintage::primitives::catalogue
