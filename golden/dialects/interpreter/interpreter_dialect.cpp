#include "golden/dialects/interpreter/interpreter_dialect.h"

#include "mlir/IR/Builders.h"

#include "golden/dialects/interpreter/InterpreterDialect.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/interpreter/InterpreterOps.cpp.inc"

namespace mlir::interpreter {

void InterpreterDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/interpreter/InterpreterOps.cpp.inc"
      >();
}

}  // namespace mlir::interpreter
