// The classes of elementwise operations of two or three operands.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/binary_ops.h.inc"
