// Shardy's `sdy` dialect, as far as exported modules carry it: loading,
// printing and writing. Shardings are not interpreted here. Codes and fields of the bytecode are
// Shardy's own.
#pragma once

#include <optional>

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "golden/dialects/sdy/SdyDialect.h.inc"
#include "golden/dialects/sdy/SdyEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "golden/dialects/sdy/SdyAttrs.h.inc"
#define GET_OP_CLASSES
#include "golden/dialects/sdy/SdyOps.h.inc"
