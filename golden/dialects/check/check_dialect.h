// The dialects of self-checking programs: `check`, their expectations, and `interpreter`, test
// programs over several processes.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "golden/dialects/check/CheckDialect.h.inc"
#define GET_OP_CLASSES
#include "golden/dialects/check/CheckOps.h.inc"

#include "golden/dialects/interpreter/InterpreterDialect.h.inc"
#define GET_OP_CLASSES
#include "golden/dialects/interpreter/InterpreterOps.h.inc"
