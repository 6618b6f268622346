// The classes of tokens, host transfers, point-to-point communication and asynchronous operations.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/communication_ops.h.inc"
