#include "golden/dialects/check/check_dialect.h"

#include "mlir/IR/Builders.h"

#include "golden/dialects/check/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/check/CheckOps.cpp.inc"

#include "golden/dialects/interpreter/InterpreterDialect.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/interpreter/InterpreterOps.cpp.inc"

void mlir::check::CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/check/CheckOps.cpp.inc"
      >();
}

void mlir::interpreter::InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/interpreter/InterpreterOps.cpp.inc"
      >();
}
