// The operations of VHLO. Only their registration needs the classes: artifacts
// are converted by operation and attribute names.
#pragma once

#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#define GET_OP_CLASSES
#include "golden/dialects/vhlo/VhloOps.h.inc"
