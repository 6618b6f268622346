// The classes of linear algebra, Fourier transforms and random numbers.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/numerics_ops.h.inc"
