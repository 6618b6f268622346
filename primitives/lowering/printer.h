// Prints a program as JAX lowers and upstream prints it: pretty forms, constants
// once each at the top of their function, `%0`, `%cst_1`, `%arg0`.
#pragma once

#include <string>

#include "primitives/lowering/operation.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

std::string print(const BuiltModule& module);

}  // namespace vintage::primitives::lowering
