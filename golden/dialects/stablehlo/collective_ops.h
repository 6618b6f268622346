// The classes of communication between replicas and partitions.
#pragma once

#include "golden/dialects/stablehlo/operation_support.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/collective_ops.h.inc"
