// The classes of operations that address elements by index tensors.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/gather_scatter_ops.h.inc"
