// The classes of constants, and operations that move elements without computing.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/shape_ops.h.inc"
