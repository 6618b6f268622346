// The classes of operations whose result shape is an operand.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/dynamic_ops.h.inc"
