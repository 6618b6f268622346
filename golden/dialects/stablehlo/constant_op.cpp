// Text of stablehlo.constant: `stablehlo.constant {attributes} dense<…> : type`.
#include <cstring>

#include "golden/dialects/stablehlo/shape_ops.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace mlir::stablehlo {
namespace {

// Texts of releases that use a newer MLIR than ours hold one byte for each
// element of dense<"0x…"> : tensor<…xi1>, where ours holds one bit.
bool atHexadecimal(OpAsmParser& parser) {
  // The source is terminated by a zero byte, so the comparison stays inside it; to
  // ask for its length would read all of the text that follows.
  constexpr llvm::StringLiteral kStart = "dense<\"0x";
  return std::strncmp(parser.getCurrentLocation().getPointer(), kStart.data(), kStart.size()) == 0;
}

ParseResult parseHexadecimal(OpAsmParser& parser, ElementsAttr& value) {
  llvm::SMLoc location = parser.getCurrentLocation();
  std::string digits, bytes;
  Type type;
  if (parser.parseKeyword("dense") || parser.parseLess() || parser.parseString(&digits) ||
      parser.parseGreater() || parser.parseColonType(type))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !elementKind(tensor.getElementType()) ||
      isa<quant::QuantizedType>(tensor.getElementType()))
    return parser.emitError(location)
           << "expected a static tensor of numbers for hexadecimal elements, found " << type;
  if (!llvm::tryGetFromHex(llvm::StringRef(digits).drop_front(2), bytes))
    return parser.emitError(location, "hexadecimal elements hold a character that is no digit");
  llvm::ArrayRef<char> data(bytes.data(), bytes.size());
  if (tensor.getElementType().isInteger(1) && tensor.getNumElements() != 1 &&
      static_cast<int64_t>(data.size()) == tensor.getNumElements()) {
    llvm::SmallVector<bool> booleans(data.begin(), data.end());
    value = DenseElementsAttr::get(tensor, booleans);
    return success();
  }
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(tensor, data, isSplat))
    return parser.emitError(location)
           << data.size() << " bytes of hexadecimal elements do not fill " << type;
  value = DenseElementsAttr::getFromRawBuffer(tensor, data);
  return success();
}

}  // namespace

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  // Also asked for while an operation that does not verify is shown in a message.
  Value output = (*this)->getResult(0);
  auto tensor = dyn_cast<ShapedType>(output.getType());
  const bool isInteger = tensor && isa<IntegerType>(tensor.getElementType());
  setName(output, isInteger ? "c" : "cst");
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
  if (parser.parseOptionalAttrDict(result.attributes)) return failure();
  if (atHexadecimal(parser) ? parseHexadecimal(parser, value) : parser.parseAttribute(value))
    return failure();
  result.addAttribute("value", value);
  result.addTypes(value.getShapedType());
  return success();
}

}  // namespace mlir::stablehlo
