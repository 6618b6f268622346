// The classes of dot products and convolutions.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/contraction_ops.h.inc"
