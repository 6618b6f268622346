#include "golden/dialects/vhlo/vhlo_dialect.h"

#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/vhlo/VhloDialect.cpp.inc"

namespace mlir::vhlo {

void VhloDialect::initialize() {
  registerOperations();
  registerAttributes();
  registerTypes();
  registerBytecode();
}

}  // namespace mlir::vhlo
