// The `chlo` dialect. Operations have their syntax and types here; what they
// compute is the engine's to know.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "golden/dialects/chlo/ChloDialect.h.inc"
#include "golden/dialects/chlo/ChloEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "golden/dialects/chlo/ChloAttrs.h.inc"
#define GET_OP_CLASSES
#include "golden/dialects/chlo/ChloOps.h.inc"
