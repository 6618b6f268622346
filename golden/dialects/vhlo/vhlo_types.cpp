#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_text.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/vhlo/VhloTypes.cpp.inc"

namespace mlir::vhlo {

void VhloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "golden/dialects/vhlo/VhloTypes.cpp.inc"
      >();
}

}  // namespace mlir::vhlo
