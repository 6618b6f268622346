#include "golden/dialects/stablehlo/stablehlo_dialect.h"

#include "mlir/Dialect/Quant/IR/Quant.h"

#include "golden/dialects/stablehlo/StablehloDialect.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::initialize() {
  addUnaryOps();
  addBinaryOps();
  addShapeOps();
  addDynamicOps();
  addGatherScatterOps();
  addContractionOps();
  addReductionOps();
  addControlFlowOps();
  addCollectiveOps();
  addCommunicationOps();
  addNumericsOps();
  addAttributes();
  addTypes();
}

}  // namespace mlir::stablehlo
