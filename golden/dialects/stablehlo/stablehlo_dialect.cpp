#include "golden/dialects/stablehlo/stablehlo_dialect.h"

#include "golden/dialects/stablehlo/constraint_checks.h"
#include "golden/dialects/stablehlo/convolution_formats.h"
#include "golden/dialects/stablehlo/stablehlo_bytecode.h"
#include "golden/dialects/stablehlo/type_formats.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/OpDefinition.h"

#include "golden/dialects/stablehlo/StablehloDialect.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/StablehloOps.h.inc"
#define GET_OP_CLASSES
#include "golden/dialects/stablehlo/StablehloOps.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/stablehlo/StablehloOps.cpp.inc"
      >();
  addAttributes();
  addTypes();
  registerBytecode(*this);
}

}  // namespace mlir::stablehlo
