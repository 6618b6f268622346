#include "golden/dialects/check/check_dialect.h"

#include "mlir/IR/Builders.h"

#include "golden/dialects/check/CheckDialect.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/check/CheckOps.cpp.inc"

namespace mlir::check {

void CheckDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/check/CheckOps.cpp.inc"
      >();
}

}  // namespace mlir::check
