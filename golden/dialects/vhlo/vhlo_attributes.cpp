#include "golden/dialects/vhlo/vhlo_dialect.h"

#include "golden/dialects/vhlo/vhlo_text.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/vhlo/VhloEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/vhlo/VhloAttrs.cpp.inc"

namespace mlir::vhlo {
namespace {

ParseResult parseBits(AsmParser& parser, llvm::APInt& bits, Type& type) {
  return failure(parser.parseInteger(bits) || parser.parseColon() || parser.parseType(type));
}

}  // namespace

ParseResult parseTypedFloat(AsmParser& parser, FailureOr<llvm::APFloat>& value, Type& type) {
  const SMLoc place = parser.getCurrentLocation();
  llvm::APInt bits;
  Type found;
  if (failed(parseBits(parser, bits, found))) return failure();
  const llvm::fltSemantics* format = floatFormat(found);
  if (!format) return parser.emitError(place, "expected a VHLO float type");
  const unsigned width = llvm::APFloat::getSizeInBits(*format);
  if (bits.getActiveBits() > width) return parser.emitError(place, "the bits do not fit the type");
  value = llvm::APFloat(*format, bits.zextOrTrunc(width));
  type = found;
  return success();
}

void printTypedFloat(AsmPrinter& printer, const llvm::APFloat& value, Type type) {
  SmallString<24> digits;
  value.bitcastToAPInt().toString(digits, 16, /*Signed=*/false, /*formatAsCLiteral=*/true);
  printer << digits << " : " << type;
}

ParseResult parseTypedInteger(AsmParser& parser, llvm::APInt& value, Type& type) {
  const SMLoc place = parser.getCurrentLocation();
  llvm::APInt bits;
  Type found;
  if (failed(parseBits(parser, bits, found))) return failure();
  const std::optional<unsigned> width = integerWidth(found);
  if (!width) return parser.emitError(place, "expected a VHLO integer type");
  value = bits.sextOrTrunc(*width);
  type = found;
  return success();
}

void printTypedInteger(AsmPrinter& printer, const llvm::APInt& value, Type type) {
  SmallString<24> digits;
  value.toStringSigned(digits);
  printer << digits << " : " << type;
}

void VhloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "golden/dialects/vhlo/VhloAttrs.cpp.inc"
      >();
}

}  // namespace mlir::vhlo
