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
  void read(int64_t& value) { ok = ok && succeeded(reader_.readSignedVarInt(value)); }
  void read(unsigned& value) { value = static_cast<unsigned>(varint()); }
  void read(int32_t& value) {
    const uint64_t number = varint();
    if (number > INT32_MAX) refuse("a quantized dimension is ", number);
    value = static_cast<int32_t>(number);
  }
  void read(bool& value) {
    const uint64_t number = varint();
    if (number > 1) refuse("a boolean is ", number, " instead of 0 or 1");
    value = number == 1;
  }
  void read(Attribute& value) { ok = ok && succeeded(reader_.readAttribute(value)) && value; }
  void read(Type& value) { ok = ok && succeeded(reader_.readType(value)) && value; }
  void read(std::pair<Attribute, Attribute>& value) {
    read(value.first);
    read(value.second);
  }
  void read(std::string& value) {
    StringRef text;
    ok = ok && succeeded(reader_.readString(text));
    value = text.str();
  }
  void read(SmallVector<char>& value) {
    ArrayRef<char> blob;
    ok = ok && succeeded(reader_.readBlob(blob));
    value.assign(blob.begin(), blob.end());
  }
  void read(llvm::APFloat& value) { value = real(llvm::APFloat::IEEEdouble()); }
  // Not the reader's own lists, which reserve whatever the bytes claim.
  template <typename T>
  void read(SmallVector<T>& values) {
    const uint64_t size = varint();
    for (uint64_t i = 0; ok && i < size; ++i) read(values.emplace_back(initial<T>()));
  }
  // A flag, then the attribute if there is one: not MLIR's own encoding.
  void readOptional(Attribute& value) {
    if (varint() != 0) read(value);
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
  // Reports `what` and refuses.
  template <typename... Parts>
  void refuse(Parts&&... what) {
    if (!ok) return;
    ok = false;
    InFlightDiagnostic diagnostic = reader_.emitError();
    (void)std::initializer_list<int>{(diagnostic << what, 0)...};
  }

 private:
  template <typename T>
  static T initial() {
    if constexpr (std::is_same_v<T, llvm::APFloat>) return T(0.0);
    else return T();
  }

  DialectBytecodeReader& reader_;
};

}  // namespace mlir::vhlo
