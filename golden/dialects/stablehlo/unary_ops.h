// The classes of elementwise operations of one operand.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/unary_ops.h.inc"
