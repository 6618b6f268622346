#include "golden/dialects/stablehlo/unary_ops.h"

#include "golden/dialects/stablehlo/stablehlo_dialect.h"
#include "golden/dialects/stablehlo/verify_elementwise.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/unary_ops.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::addUnaryOps() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/stablehlo/unary_ops.cpp.inc"
      >();
}

}  // namespace mlir::stablehlo
