#include "golden/dialects/vhlo/vhlo_bytecode.h"

#include "golden/dialects/vhlo/vhlo_dialect.h"

namespace mlir::vhlo {
namespace {

class VhloBytecode : public BytecodeDialectInterface {
 public:
  explicit VhloBytecode(Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    return readAttributeBytecode(reader, getContext());
  }
  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter& writer) const override {
    return writeAttributeBytecode(attribute, writer);
  }
  Type readType(DialectBytecodeReader& reader) const override {
    return readTypeBytecode(reader, getContext());
  }
  LogicalResult writeType(Type type, DialectBytecodeWriter& writer) const override {
    return writeTypeBytecode(type, writer);
  }
};

}  // namespace

void VhloDialect::registerBytecode() { addInterfaces<VhloBytecode>(); }

}  // namespace mlir::vhlo
