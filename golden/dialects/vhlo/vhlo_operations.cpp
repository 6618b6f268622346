#include "golden/dialects/vhlo/vhlo_operations.h"

#define GET_OP_CLASSES
#include "golden/dialects/vhlo/VhloOps.cpp.inc"

namespace mlir::vhlo {

void VhloDialect::registerOperations() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/vhlo/VhloOps.cpp.inc"
      >();
}

}  // namespace mlir::vhlo
