// The classes of reductions, windows, sorting and batch normalization.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/reduction_ops.h.inc"
