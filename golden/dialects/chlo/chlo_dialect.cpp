#include "golden/dialects/chlo/chlo_dialect.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
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
    return emitOpError() << "value has type " << getValue().getShapedType()
                         << " and the result " << getOutput().getType();
  return success();
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  Fields values;
  SmallVector<stablehlo::AttributeField> fields;
  values.visit([&](const char* name, SmallVector<int64_t>& value) {
    fields.push_back({name, [&] { return stablehlo::parseDimensionList(parser, value); }});
  });
  if (stablehlo::parseAttributeFields(parser, fields)) return {};
  return fromFields(parser.getContext(), values);
}

void RaggedDotDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << "<";
  bool first = true;
  visitFields([&](const char* name, ArrayRef<int64_t> values) {
    if (values.empty()) return;
    if (!std::exchange(first, false)) printer << ", ";
    printer << name << " = ";
    stablehlo::printDimensionList(printer, values);
  });
  printer << ">";
}

}  // namespace mlir::chlo
