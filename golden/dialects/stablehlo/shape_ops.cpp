#include "golden/dialects/stablehlo/shape_ops.h"

#include "golden/dialects/stablehlo/stablehlo_dialect.h"

#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/shape_ops.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::addShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/stablehlo/shape_ops.cpp.inc"
      >();
}

}  // namespace mlir::stablehlo
