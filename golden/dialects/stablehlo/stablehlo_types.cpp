#include "golden/dialects/stablehlo/stablehlo_types.h"

#include "golden/dialects/stablehlo/stablehlo_dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloTypes.cpp.inc"

namespace mlir::stablehlo {

void StablehloDialect::addTypes() {
  Dialect::addTypes<
#define GET_TYPEDEF_LIST
#include "golden/dialects/stablehlo/StablehloTypes.cpp.inc"
      >();
}

}  // namespace mlir::stablehlo
