#include "golden/dialects/stablehlo/numerics_ops.h"

#include "golden/dialects/stablehlo/stablehlo_dialect.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/numerics_ops.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::addNumericsOps() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/stablehlo/numerics_ops.cpp.inc"
      >();
}

}  // namespace mlir::stablehlo
