#include "golden/dialects/stablehlo/communication_ops.h"

#include "golden/dialects/stablehlo/stablehlo_dialect.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/communication_ops.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::addCommunicationOps() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/stablehlo/communication_ops.cpp.inc"
      >();
}

}  // namespace mlir::stablehlo
