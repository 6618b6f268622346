#include "golden/dialects/stablehlo/stablehlo_bytecode.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::stablehlo {
namespace {

// Upstream's codes, which it never uses again.
constexpr uint64_t kTokenTypeCode = 0;
constexpr uint64_t kTypeExtensionsCode = 13;

struct StablehloBytecode : BytecodeDialectInterface {
  explicit StablehloBytecode(Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    uint64_t code = 0;
    SmallVector<int64_t> bounds;
    if (failed(reader.readVarInt(code))) return {};
    if (code != kTypeExtensionsCode) {
      reader.emitError() << "unknown code " << code << " of a StableHLO attribute";
      return {};
    }
    if (failed(reader.readSignedVarInts(bounds))) return {};
    return TypeExtensionsAttr::get(getContext(), bounds);
  }

  Type readType(DialectBytecodeReader& reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code))) return {};
    if (code == kTokenTypeCode) return TokenType::get(getContext());
    reader.emitError() << "unknown code " << code << " of a StableHLO type";
    return {};
  }

  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter& writer) const override {
    const auto extensions = dyn_cast<TypeExtensionsAttr>(attribute);
    if (!extensions) return failure();
    writer.writeVarInt(kTypeExtensionsCode);
    writer.writeSignedVarInts(extensions.getBounds());
    return success();
  }

  LogicalResult writeType(Type type, DialectBytecodeWriter& writer) const override {
    if (!isa<TokenType>(type)) return failure();
    writer.writeVarInt(kTokenTypeCode);
    return success();
  }
};

}  // namespace

void registerBytecode(Dialect& dialect) { dialect.addInterfaces<StablehloBytecode>(); }

}  // namespace mlir::stablehlo
