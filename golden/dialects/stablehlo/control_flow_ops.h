// The classes of control flow, calls, tuples and the region terminator.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/control_flow_ops.h.inc"
