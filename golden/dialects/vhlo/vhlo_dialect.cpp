#include "golden/dialects/vhlo/vhlo_dialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"

#include "golden/dialects/vhlo/VhloDialect.cpp.inc"
// Only their registration needs the classes of operations: artifacts are converted
// by the names of operations and attributes.
#define GET_OP_CLASSES
#include "golden/dialects/vhlo/VhloOps.h.inc"
#define GET_OP_CLASSES
#include "golden/dialects/vhlo/VhloOps.cpp.inc"

namespace mlir::vhlo {

void VhloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/vhlo/VhloOps.cpp.inc"
      >();
  registerAttributes();
  registerTypes();
  registerBytecode();
}

}  // namespace mlir::vhlo
