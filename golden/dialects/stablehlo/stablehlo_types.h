// !stablehlo.token and !stablehlo.future<…>.
#pragma once

#include "mlir/IR/Types.h"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloTypes.h.inc"
