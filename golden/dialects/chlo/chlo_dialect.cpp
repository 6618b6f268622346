#include "golden/dialects/chlo/chlo_dialect.h"

#include "golden/dialects/stablehlo/structure_text.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/chlo/ChloDialect.cpp.inc"
#include "golden/dialects/chlo/ChloEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "golden/dialects/chlo/ChloAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/chlo/ChloOps.cpp.inc"

namespace mlir::chlo {

void ChloDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "golden/dialects/chlo/ChloAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/chlo/ChloOps.cpp.inc"
      >();
}

void TopKOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getValues(), "values");
  setName(getIndices(), "indices");
}

LogicalResult ConstantOp::verify() {
  if (getValue().getShapedType() != getOutput().getType())
    return emitOpError() << "value has type " << getValue().getShapedType() << " and the result "
                         << getOutput().getType();
  return success();
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  return stablehlo::parseStructure<RaggedDotDimensionNumbersAttr>(parser);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  stablehlo::printStructure(printer, *this);
}

}  // namespace mlir::chlo
