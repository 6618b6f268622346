// Reads the fields of one attribute or type of a dialect from bytecode.
//
// The bytes are not trusted: lists grow only as their elements arrive.
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::vhlo {

// After the first failure `ok` is false and every further read is skipped.
class FieldReader {
 public:
  explicit FieldReader(DialectBytecodeReader& reader) : reader_(reader) {}

  bool ok = true;

  uint64_t varint() {
    uint64_t value = 0;
    ok = ok && succeeded(reader_.readVarInt(value));
    return value;
  }
  int64_t integer() {
    int64_t value = 0;
    ok = ok && succeeded(reader_.readSignedVarInt(value));
    return value;
  }
  Attribute attribute() {
    Attribute value;
    ok = ok && succeeded(reader_.readAttribute(value)) && value;
    return value;
  }
  // A flag, then the attribute if there is one: not MLIR's own encoding.
  Attribute optionalAttribute() { return varint() != 0 ? attribute() : Attribute(); }
  Type type() {
    Type value;
    ok = ok && succeeded(reader_.readType(value)) && value;
    return value;
  }
  StringRef string() {
    StringRef value;
    ok = ok && succeeded(reader_.readString(value));
    return value;
  }
  ArrayRef<char> blob() {
    ArrayRef<char> value;
    ok = ok && succeeded(reader_.readBlob(value));
    return value;
  }
  llvm::APFloat real(const llvm::fltSemantics& format) {
    if (ok) {
      FailureOr<llvm::APFloat> value = reader_.readAPFloatWithKnownSemantics(format);
      if (succeeded(value)) return *value;
      ok = false;
    }
    return llvm::APFloat::getZero(format);
  }
  llvm::APInt bits(unsigned width) {
    if (ok) {
      FailureOr<llvm::APInt> value = reader_.readAPIntWithKnownWidth(width);
      if (succeeded(value)) return *value;
      ok = false;
    }
    return llvm::APInt(width, 0);
  }
  // Not the reader's own lists, which reserve whatever the bytes claim.
  template <typename Element>
  auto list(Element element) {
    SmallVector<decltype(element())> values;
    const uint64_t size = varint();
    for (uint64_t i = 0; ok && i < size; ++i) values.push_back(element());
    return values;
  }
  SmallVector<int64_t> integers() {
    return list([&] { return integer(); });
  }
  SmallVector<Type> types() {
    return list([&] { return type(); });
  }
  // Reports `what` and refuses.
  template <typename... Parts>
  void refuse(Parts&&... what) {
    if (!ok) return;
    ok = false;
    InFlightDiagnostic diagnostic = reader_.emitError();
    (void)std::initializer_list<int>{(diagnostic << what, 0)...};
  }

 private:
  DialectBytecodeReader& reader_;
};

}  // namespace mlir::vhlo
