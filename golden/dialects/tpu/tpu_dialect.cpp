#include "golden/dialects/tpu/tpu_dialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

#include "golden/dialects/tpu/TpuDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "golden/dialects/tpu/TpuAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "golden/dialects/tpu/TpuTypes.cpp.inc"

namespace mlir::tpu {

void TpuDialect::initialize() {
  addAttributes<KeptAttr, TiledAttr>();
  addTypes<KeptType>();
}

// The whole symbol is kept: whatever a later version writes in it is read.
Attribute TpuDialect::parseAttribute(DialectAsmParser& parser, Type) const {
  const StringRef text = parser.getFullSymbolSpec();
  if (text.starts_with("tiled")) return TiledAttr::get(getContext(), text);
  return KeptAttr::get(getContext(), text);
}

void TpuDialect::printAttribute(Attribute attribute, DialectAsmPrinter& printer) const {
  llvm::TypeSwitch<Attribute>(attribute).Case<KeptAttr, TiledAttr>(
      [&](auto kept) { printer << kept.getText(); });
}

Type TpuDialect::parseType(DialectAsmParser& parser) const {
  return KeptType::get(getContext(), parser.getFullSymbolSpec());
}

void TpuDialect::printType(Type type, DialectAsmPrinter& printer) const {
  printer << cast<KeptType>(type).getText();
}

// A program sees a memref element by element, whatever its tiles.
AffineMap TiledAttr::getAffineMap() const { return AffineMap::get(getContext()); }

LogicalResult TiledAttr::verifyLayout(ArrayRef<int64_t>, function_ref<InFlightDiagnostic()>) const {
  return success();
}

}  // namespace mlir::tpu
