// Text of stablehlo.constant: `stablehlo.constant {attributes} dense<…> : type`.
#include "golden/dialects/stablehlo/shape_ops.h"

namespace mlir::stablehlo {

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  Type element = cast<ShapedType>(getOutput().getType()).getElementType();
  setName(getOutput(), isa<IntegerType>(element) ? "c" : "cst");
}

void ConstantOp::print(OpAsmPrinter& printer) {
  // A quantized constant holds its storage values: the two types differ.
  if (getValue().getType() != getOutput().getType()) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

ParseResult ConstantOp::parse(OpAsmParser& parser, OperationState& result) {
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseRParen()) return failure();
    return parser.parseGenericOperationAfterOpName(
        result, llvm::ArrayRef<OpAsmParser::UnresolvedOperand>());
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getShapedType());
  return success();
}

}  // namespace mlir::stablehlo
