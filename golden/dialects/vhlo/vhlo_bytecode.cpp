// The portable encoding of VHLO's attributes and types: a code, then the fields in the
// order of their declaration. Codes and layouts are upstream's (VhloBytecode.cpp) and
// never change meaning; new ones are added at the end.
//
// The bytes are not trusted: every combination that a constructor could trip over is
// refused, with a diagnostic, by a null attribute or type.
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::vhlo {
namespace {

// Reads the fields of one attribute or type. Lists grow only as their elements arrive.
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
    FailureOr<llvm::APFloat> value = failure();
    ok = ok && succeeded(value = reader_.readAPFloatWithKnownSemantics(format));
    return ok ? *value : llvm::APFloat::getZero(format);
  }
  llvm::APInt bits(unsigned width) {
    FailureOr<llvm::APInt> value = failure();
    ok = ok && succeeded(value = reader_.readAPIntWithKnownWidth(width));
    return ok ? *value : llvm::APInt(width, 0);
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
    if constexpr (std::is_same_v<T, llvm::APFloat>)
      return T(0.0);
    else
      return T();
  }

  DialectBytecodeReader& reader_;
};

// Tensors with an encoding have a code of their own, and the encoding first.
constexpr uint64_t kRankedTensorWithEncoding = 21;
// In these two, the last field may be absent.
template <typename T>
constexpr bool kLastIsOptional = std::is_same_v<T, AxisRefV1Attr> || std::is_same_v<T, MeshV1Attr>;

template <typename T>
T readOne(FieldReader& in, MLIRContext* context) {
  if constexpr (requires { T::kWhat; }) {
    const uint64_t value = in.varint();
    if (!in.ok) return {};
    if (value <= UINT32_MAX)
      if (auto known = T::symbolize(static_cast<uint32_t>(value))) return T::get(context, *known);
    in.refuse("unknown ", T::kWhat, " ", value);
    return {};
  } else if constexpr (requires { &T::twin; }) {
    return T::get(context);
  } else {
    // Field by field, never as arguments of a call.
    typename T::Fields fields;
    bool first = true;
    fields.visit([&](const char*, auto& value) {
      if constexpr (kLastIsOptional<T>)
        if (!std::exchange(first, false)) return in.readOptional(value);
      in.read(value);
    });
    return in.ok ? T::fromFields(context, fields) : T();
  }
}

// The bits of a number take its type to be read.
template <>
FloatV1Attr readOne<FloatV1Attr>(FieldReader& in, MLIRContext* context) {
  Type type;
  in.read(type);
  const llvm::fltSemantics* format = in.ok ? floatFormat(type) : nullptr;
  if (!format) return in.refuse("a float attribute has the type ", type), FloatV1Attr();
  const llvm::APFloat value = in.real(*format);
  return FloatV1Attr::get(context, type, value);
}

template <>
IntegerV1Attr readOne<IntegerV1Attr>(FieldReader& in, MLIRContext* context) {
  Type type;
  in.read(type);
  const std::optional<unsigned> width = in.ok ? integerWidth(type) : std::nullopt;
  if (!width) return in.refuse("an integer attribute has the type ", type), IntegerV1Attr();
  return IntegerV1Attr::get(context, type, in.bits(*width));
}

RankedTensorV1Type readTensor(FieldReader& in, MLIRContext* context, bool hasEncoding) {
  Attribute encoding;
  SmallVector<int64_t> shape;
  Type element;
  if (hasEncoding) in.read(encoding);
  in.read(shape);
  in.read(element);
  return in.ok ? RankedTensorV1Type::get(context, shape, element, encoding) : RankedTensorV1Type();
}

template <>
RankedTensorV1Type readOne<RankedTensorV1Type>(FieldReader& in, MLIRContext* context) {
  return readTensor(in, context, false);
}

// The attribute or type whose code comes next.
template <typename Base, typename... T>
Base readAmong(DialectBytecodeReader& reader, MLIRContext* context, StringRef kind,
               ClassList<T...>) {
  FieldReader in(reader);
  const uint64_t code = in.varint();
  if (!in.ok) return {};
  Base result;
  bool known = ((code == T::kCode && (result = readOne<T>(in, context), true)) || ...);
  if constexpr (std::is_same_v<Base, Type>)
    if (code == kRankedTensorWithEncoding) {
      known = true;
      result = readTensor(in, context, true);
    }
  if (!known) in.refuse("unknown VHLO ", kind, " code ", code);
  return in.ok ? result : Base();
}

class FieldWriter {
 public:
  explicit FieldWriter(DialectBytecodeWriter& writer) : writer_(writer) {}

  void write(bool value) { writer_.writeVarInt(value ? 1 : 0); }
  void write(unsigned value) { writer_.writeVarInt(value); }
  void write(int32_t value) { writer_.writeVarInt(value); }
  void write(uint64_t value) { writer_.writeVarInt(value); }
  void write(int64_t value) { writer_.writeSignedVarInt(value); }
  void write(Attribute value) { writer_.writeAttribute(value); }
  void write(Type value) { writer_.writeType(value); }
  void write(const llvm::APFloat& value) { writer_.writeAPFloatWithKnownSemantics(value); }
  void write(const llvm::APInt& value) { writer_.writeAPIntWithKnownWidth(value); }
  void write(StringRef value) { writer_.writeOwnedString(value); }
  void write(ArrayRef<char> value) { writer_.writeOwnedBlob(value); }
  void write(const std::pair<Attribute, Attribute>& value) {
    write(value.first);
    write(value.second);
  }
  template <typename T>
  void write(ArrayRef<T> values) {
    writer_.writeList(values, [&](const T& value) { write(value); });
  }
  void writeOptional(Attribute value) {
    write(static_cast<bool>(value));
    if (value) write(value);
  }

 private:
  DialectBytecodeWriter& writer_;
};

template <typename T>
void writeOne(FieldWriter out, T each) {
  if constexpr (std::is_same_v<T, RankedTensorV1Type>) {
    out.write(each.getEncoding() ? kRankedTensorWithEncoding : T::kCode);
    if (each.getEncoding()) out.write(each.getEncoding());
    out.write(each.getShape());
    out.write(each.getElementType());
    return;
  }
  out.write(T::kCode);
  if constexpr (requires { T::kWhat; }) {
    out.write(static_cast<unsigned>(each.getValue()));
  } else if constexpr (requires { typename T::Fields; }) {
    bool first = true;
    each.visitFields([&](const char*, const auto& value) {
      if constexpr (kLastIsOptional<T>)
        if (!std::exchange(first, false)) return out.writeOptional(value);
      out.write(value);
    });
  }
}

// Fails for what is not VHLO's.
template <typename Base, typename... T>
LogicalResult writeAmong(Base value, DialectBytecodeWriter& writer, ClassList<T...>) {
  return success(((isa<T>(value) && (writeOne(FieldWriter(writer), cast<T>(value)), true)) || ...));
}

class VhloBytecode : public BytecodeDialectInterface {
 public:
  explicit VhloBytecode(Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override {
    return readAmong<Attribute>(reader, getContext(), "attribute", AttributeClasses());
  }
  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter& writer) const override {
    return writeAmong(attribute, writer, AttributeClasses());
  }
  Type readType(DialectBytecodeReader& reader) const override {
    return readAmong<Type>(reader, getContext(), "type", TypeClasses());
  }
  LogicalResult writeType(Type type, DialectBytecodeWriter& writer) const override {
    return writeAmong(type, writer, TypeClasses());
  }
};

}  // namespace

void VhloDialect::registerBytecode() { addInterfaces<VhloBytecode>(); }

}  // namespace mlir::vhlo
