#include "golden/dialects/stablehlo/binary_ops.h"

#include "golden/dialects/stablehlo/stablehlo_dialect.h"
#include "golden/dialects/stablehlo/verify_elementwise.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/binary_ops.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::addBinaryOps() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/stablehlo/binary_ops.cpp.inc"
      >();
}

}  // namespace mlir::stablehlo
