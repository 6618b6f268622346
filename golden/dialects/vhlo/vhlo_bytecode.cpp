// The portable encoding of VHLO's attributes and types: a code, then fields in
// a fixed order. Codes and layouts are upstream's (VhloBytecode.cpp) and never
// change meaning; new ones are added at the end.
//
// The bytes are not trusted: lists grow only as their elements arrive, and
// every combination that a constructor could trip over is refused here.
#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_numbers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Bytecode/BytecodeImplementation.h"

namespace mlir::vhlo {
namespace {

enum AttributeCode : uint64_t {
  kArrayV1 = 1,
  kBooleanV1 = 2,
  kComparisonDirectionV1 = 3,
  kComparisonTypeV1 = 4,
  kCustomCallApiVersionV1 = 5,
  kDictionaryV1 = 6,
  kFftTypeV1 = 7,
  kFloatV1 = 8,
  kIntegerV1 = 9,
  kOutputOperandAliasV1 = 10,
  kPrecisionV1 = 11,
  kRngAlgorithmV1 = 12,
  kRngDistributionV1 = 13,
  kStringV1 = 14,
  kTensorV1 = 15,
  kTransposeV1 = 16,
  kTypeV1 = 17,
  kTypeExtensionsV1 = 18,
  kResultAccuracyModeV1 = 19,
  kResultAccuracyV1 = 20,
  kSubAxisInfoV1 = 21,
  kAxisRefV1 = 22,
  kReplicaGroupMeshAxesV1 = 23,
  kMeshAxisV1 = 24,
  kMeshV1 = 25,
};

// Types with fields; the others stand in kPlainTypes.
enum TypeCode : uint64_t {
  kComplexV1 = 1,
  kFunctionV1 = 8,
  kRankedTensorV1 = 20,
  kRankedTensorV1WithEncoding = 21,
  kTupleV1 = 23,
  kUniformQuantizedV1 = 24,
  kUnrankedTensorV1 = 25,
  kUniformQuantizedPerAxisV1 = 30,
  kRankedBufferV1 = 41,
  kFutureV1 = 42,
};

struct PlainType {
  uint64_t code;
  TypeID id;
  Type (*get)(MLIRContext*);
};

template <typename T>
constexpr auto plain(uint64_t code) {
  return PlainType{code, TypeID::get<T>(), [](MLIRContext* context) -> Type { return T::get(context); }};
}

ArrayRef<PlainType> plainTypes() {
  static const PlainType kPlainTypes[] = {
      plain<BooleanV1Type>(0),          plain<FloatBF16V1Type>(2),
      plain<FloatF16V1Type>(3),         plain<FloatF32V1Type>(4),
      plain<FloatF64V1Type>(5),         plain<FloatF8E4M3FNV1Type>(6),
      plain<FloatF8E5M2V1Type>(7),      plain<IndexV1Type>(9),
      plain<IntegerSI4V1Type>(10),      plain<IntegerSI8V1Type>(11),
      plain<IntegerSI16V1Type>(12),     plain<IntegerSI32V1Type>(13),
      plain<IntegerSI64V1Type>(14),     plain<IntegerUI4V1Type>(15),
      plain<IntegerUI8V1Type>(16),      plain<IntegerUI16V1Type>(17),
      plain<IntegerUI32V1Type>(18),     plain<IntegerUI64V1Type>(19),
      plain<TokenV1Type>(22),           plain<WitnessV1Type>(26),
      plain<FloatF8E4M3FNUZV1Type>(27), plain<FloatF8E5M2FNUZV1Type>(28),
      plain<FloatF8E4M3B11FNUZV1Type>(29), plain<IntegerSI2V1Type>(31),
      plain<IntegerUI2V1Type>(32),      plain<NoneV1Type>(33),
      plain<FloatTF32V1Type>(34),       plain<FloatF8E4M3V1Type>(35),
      plain<FloatF8E3M4V1Type>(36),     plain<FloatF4E2M1FNV1Type>(37),
      plain<FloatF6E2M3FNV1Type>(38),   plain<FloatF6E3M2FNV1Type>(39),
      plain<FloatF8E8M0FNUV1Type>(40),
  };
  return kPlainTypes;
}

// Reads the fields of one attribute or type; after the first failure `ok` is
// false and every further read is skipped.
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
  Attribute optionalAttribute() {
    return varint() != 0 ? attribute() : Attribute();
  }
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

class VhloBytecode : public BytecodeDialectInterface {
 public:
  explicit VhloBytecode(Dialect* dialect) : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader& reader) const override;
  LogicalResult writeAttribute(Attribute attribute, DialectBytecodeWriter& writer) const override;
  Type readType(DialectBytecodeReader& reader) const override;
  LogicalResult writeType(Type type, DialectBytecodeWriter& writer) const override;

 private:
  template <typename EnumAttribute, typename Symbolize>
  Attribute readEnum(FieldReader& in, Symbolize symbolize, StringRef name) const {
    const uint64_t value = in.varint();
    if (!in.ok) return {};
    if (value <= UINT32_MAX)
      if (auto known = symbolize(static_cast<uint32_t>(value)))
        return EnumAttribute::get(getContext(), *known);
    in.refuse("unknown ", name, " ", value);
    return {};
  }
  Attribute readFields(FieldReader& in, uint64_t code) const;
  Type readTypeFields(FieldReader& in, uint64_t code) const;
};

Attribute VhloBytecode::readAttribute(DialectBytecodeReader& reader) const {
  FieldReader in(reader);
  const uint64_t code = in.varint();
  Attribute attribute = in.ok ? readFields(in, code) : Attribute();
  return in.ok ? attribute : Attribute();
}

Attribute VhloBytecode::readFields(FieldReader& in, uint64_t code) const {
  MLIRContext* context = getContext();
  // Fields are read in the order of declaration, never as arguments of a call.
  switch (code) {
    case kArrayV1:
      return ArrayV1Attr::get(context, in.list([&] { return in.attribute(); }));
    case kBooleanV1: {
      const uint64_t value = in.varint();
      if (value > 1) in.refuse("a boolean is ", value, " instead of 0 or 1");
      return BooleanV1Attr::get(context, value == 1);
    }
    case kComparisonDirectionV1:
      return readEnum<ComparisonDirectionV1Attr>(
          in, [](uint32_t v) { return symbolizeComparisonDirectionV1(v); }, "comparison direction");
    case kComparisonTypeV1:
      return readEnum<ComparisonTypeV1Attr>(
          in, [](uint32_t v) { return symbolizeComparisonTypeV1(v); }, "comparison type");
    case kCustomCallApiVersionV1:
      return readEnum<CustomCallApiVersionV1Attr>(
          in, [](uint32_t v) { return symbolizeCustomCallApiVersionV1(v); }, "API version");
    case kDictionaryV1:
      return DictionaryV1Attr::get(context, in.list([&] {
        Attribute name = in.attribute();
        Attribute value = in.attribute();
        return std::pair<Attribute, Attribute>(name, value);
      }));
    case kFftTypeV1:
      return readEnum<FftTypeV1Attr>(
          in, [](uint32_t v) { return symbolizeFftTypeV1(v); }, "FFT type");
    case kFloatV1: {
      Type type = in.type();
      const llvm::fltSemantics* format = in.ok ? floatFormat(type) : nullptr;
      if (!format) {
        in.refuse("a float attribute has the type ", type);
        return {};
      }
      llvm::APFloat value = in.real(*format);
      return FloatV1Attr::get(context, type, value);
    }
    case kIntegerV1: {
      Type type = in.type();
      const std::optional<unsigned> width = in.ok ? integerWidth(type) : std::nullopt;
      if (!width) {
        in.refuse("an integer attribute has the type ", type);
        return {};
      }
      return IntegerV1Attr::get(context, type, in.bits(*width));
    }
    case kOutputOperandAliasV1: {
      SmallVector<int64_t> outputs = in.integers();
      const int64_t operand = in.integer();
      SmallVector<int64_t> operands = in.integers();
      return OutputOperandAliasV1Attr::get(context, outputs, operand, operands);
    }
    case kPrecisionV1:
      return readEnum<PrecisionV1Attr>(
          in, [](uint32_t v) { return symbolizePrecisionV1(v); }, "precision");
    case kRngAlgorithmV1:
      return readEnum<RngAlgorithmV1Attr>(
          in, [](uint32_t v) { return symbolizeRngAlgorithmV1(v); }, "random number algorithm");
    case kRngDistributionV1:
      return readEnum<RngDistributionV1Attr>(
          in, [](uint32_t v) { return symbolizeRngDistributionV1(v); }, "random distribution");
    case kStringV1:
      return StringV1Attr::get(context, in.string());
    case kTensorV1: {
      Type type = in.type();
      ArrayRef<char> data = in.blob();
      return in.ok ? TensorV1Attr::get(context, type, data) : Attribute();
    }
    case kTransposeV1:
      return readEnum<TransposeV1Attr>(
          in, [](uint32_t v) { return symbolizeTransposeV1(v); }, "transpose");
    case kTypeV1: {
      Type type = in.type();
      return in.ok ? TypeV1Attr::get(context, type) : Attribute();
    }
    case kTypeExtensionsV1:
      return TypeExtensionsV1Attr::get(context, in.integers());
    case kResultAccuracyModeV1:
      return readEnum<ResultAccuracyModeV1Attr>(
          in, [](uint32_t v) { return symbolizeResultAccuracyModeV1(v); }, "accuracy mode");
    case kResultAccuracyV1: {
      llvm::APFloat atol = in.real(llvm::APFloat::IEEEdouble());
      llvm::APFloat rtol = in.real(llvm::APFloat::IEEEdouble());
      const int64_t ulps = in.integer();
      Attribute mode = in.attribute();
      return in.ok ? ResultAccuracyV1Attr::get(context, atol, rtol, ulps, mode) : Attribute();
    }
    case kSubAxisInfoV1: {
      const int64_t before = in.integer();
      const int64_t size = in.integer();
      return SubAxisInfoV1Attr::get(context, before, size);
    }
    case kAxisRefV1: {
      Attribute name = in.attribute();
      Attribute part = in.optionalAttribute();
      return in.ok ? AxisRefV1Attr::get(context, name, part) : Attribute();
    }
    case kReplicaGroupMeshAxesV1: {
      Attribute mesh = in.attribute();
      Attribute axes = in.attribute();
      return in.ok ? ReplicaGroupMeshAxesV1Attr::get(context, mesh, axes) : Attribute();
    }
    case kMeshAxisV1: {
      Attribute name = in.attribute();
      const int64_t size = in.integer();
      return in.ok ? MeshAxisV1Attr::get(context, name, size) : Attribute();
    }
    case kMeshV1: {
      Attribute axes = in.attribute();
      Attribute devices = in.optionalAttribute();
      return in.ok ? MeshV1Attr::get(context, axes, devices) : Attribute();
    }
  }
  in.refuse("unknown VHLO attribute code ", code);
  return {};
}

void writeOptional(DialectBytecodeWriter& writer, Attribute attribute) {
  writer.writeVarInt(attribute ? 1 : 0);
  if (attribute) writer.writeAttribute(attribute);
}

template <typename EnumAttribute>
void writeEnum(DialectBytecodeWriter& writer, AttributeCode code, EnumAttribute attribute) {
  writer.writeVarInt(code);
  writer.writeVarInt(static_cast<uint32_t>(attribute.getValue()));
}

LogicalResult VhloBytecode::writeAttribute(Attribute attribute,
                                           DialectBytecodeWriter& writer) const {
  return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
      .Case([&](ArrayV1Attr array) {
        writer.writeVarInt(kArrayV1);
        writer.writeList(array.getValue(), [&](Attribute each) { writer.writeAttribute(each); });
        return success();
      })
      .Case([&](BooleanV1Attr boolean) {
        writer.writeVarInt(kBooleanV1);
        writer.writeVarInt(boolean.getValue() ? 1 : 0);
        return success();
      })
      .Case([&](ComparisonDirectionV1Attr each) {
        return writeEnum(writer, kComparisonDirectionV1, each), success();
      })
      .Case([&](ComparisonTypeV1Attr each) {
        return writeEnum(writer, kComparisonTypeV1, each), success();
      })
      .Case([&](CustomCallApiVersionV1Attr each) {
        return writeEnum(writer, kCustomCallApiVersionV1, each), success();
      })
      .Case([&](DictionaryV1Attr dictionary) {
        writer.writeVarInt(kDictionaryV1);
        writer.writeList(dictionary.getValue(), [&](const auto& pair) {
          writer.writeAttribute(pair.first);
          writer.writeAttribute(pair.second);
        });
        return success();
      })
      .Case([&](FftTypeV1Attr each) { return writeEnum(writer, kFftTypeV1, each), success(); })
      .Case([&](FloatV1Attr number) {
        writer.writeVarInt(kFloatV1);
        writer.writeType(number.getType());
        writer.writeAPFloatWithKnownSemantics(number.getValue());
        return success();
      })
      .Case([&](IntegerV1Attr number) {
        writer.writeVarInt(kIntegerV1);
        writer.writeType(number.getType());
        writer.writeAPIntWithKnownWidth(number.getValue());
        return success();
      })
      .Case([&](OutputOperandAliasV1Attr alias) {
        writer.writeVarInt(kOutputOperandAliasV1);
        writer.writeSignedVarInts(alias.getOutputTupleIndices());
        writer.writeSignedVarInt(alias.getOperandIndex());
        writer.writeSignedVarInts(alias.getOperandTupleIndices());
        return success();
      })
      .Case([&](PrecisionV1Attr each) { return writeEnum(writer, kPrecisionV1, each), success(); })
      .Case([&](RngAlgorithmV1Attr each) {
        return writeEnum(writer, kRngAlgorithmV1, each), success();
      })
      .Case([&](RngDistributionV1Attr each) {
        return writeEnum(writer, kRngDistributionV1, each), success();
      })
      .Case([&](StringV1Attr string) {
        writer.writeVarInt(kStringV1);
        writer.writeOwnedString(string.getValue());
        return success();
      })
      .Case([&](TensorV1Attr tensor) {
        writer.writeVarInt(kTensorV1);
        writer.writeType(tensor.getType());
        writer.writeOwnedBlob(tensor.getData());
        return success();
      })
      .Case([&](TransposeV1Attr each) { return writeEnum(writer, kTransposeV1, each), success(); })
      .Case([&](TypeV1Attr type) {
        writer.writeVarInt(kTypeV1);
        writer.writeType(type.getValue());
        return success();
      })
      .Case([&](TypeExtensionsV1Attr extensions) {
        writer.writeVarInt(kTypeExtensionsV1);
        writer.writeSignedVarInts(extensions.getBounds());
        return success();
      })
      .Case([&](ResultAccuracyModeV1Attr each) {
        return writeEnum(writer, kResultAccuracyModeV1, each), success();
      })
      .Case([&](ResultAccuracyV1Attr accuracy) {
        writer.writeVarInt(kResultAccuracyV1);
        writer.writeAPFloatWithKnownSemantics(accuracy.getAtol());
        writer.writeAPFloatWithKnownSemantics(accuracy.getRtol());
        writer.writeSignedVarInt(accuracy.getUlps());
        writer.writeAttribute(accuracy.getMode());
        return success();
      })
      .Case([&](SubAxisInfoV1Attr part) {
        writer.writeVarInt(kSubAxisInfoV1);
        writer.writeSignedVarInt(part.getPreSize());
        writer.writeSignedVarInt(part.getSize());
        return success();
      })
      .Case([&](AxisRefV1Attr axis) {
        writer.writeVarInt(kAxisRefV1);
        writer.writeAttribute(axis.getName());
        writeOptional(writer, axis.getSubAxisInfo());
        return success();
      })
      .Case([&](ReplicaGroupMeshAxesV1Attr groups) {
        writer.writeVarInt(kReplicaGroupMeshAxesV1);
        writer.writeAttribute(groups.getMesh());
        writer.writeAttribute(groups.getAxes());
        return success();
      })
      .Case([&](MeshAxisV1Attr axis) {
        writer.writeVarInt(kMeshAxisV1);
        writer.writeAttribute(axis.getName());
        writer.writeSignedVarInt(axis.getSize());
        return success();
      })
      .Case([&](MeshV1Attr mesh) {
        writer.writeVarInt(kMeshV1);
        writer.writeAttribute(mesh.getAxes());
        writeOptional(writer, mesh.getDeviceIds());
        return success();
      })
      .Default([](Attribute) { return failure(); });
}

Type VhloBytecode::readType(DialectBytecodeReader& reader) const {
  FieldReader in(reader);
  const uint64_t code = in.varint();
  Type type = in.ok ? readTypeFields(in, code) : Type();
  return in.ok ? type : Type();
}

Type VhloBytecode::readTypeFields(FieldReader& in, uint64_t code) const {
  MLIRContext* context = getContext();
  for (const PlainType& each : plainTypes())
    if (each.code == code) return each.get(context);
  switch (code) {
    case kComplexV1: {
      Type element = in.type();
      return in.ok ? ComplexV1Type::get(context, element) : Type();
    }
    case kFunctionV1: {
      SmallVector<Type> inputs = in.types();
      SmallVector<Type> outputs = in.types();
      return FunctionV1Type::get(context, inputs, outputs);
    }
    case kRankedTensorV1:
    case kRankedTensorV1WithEncoding: {
      Attribute encoding;
      if (code == kRankedTensorV1WithEncoding) encoding = in.attribute();
      SmallVector<int64_t> shape = in.integers();
      Type element = in.type();
      return in.ok ? RankedTensorV1Type::get(context, shape, element, encoding) : Type();
    }
    case kTupleV1:
      return TupleV1Type::get(context, in.types());
    case kFutureV1:
      return FutureV1Type::get(context, in.types());
    case kUnrankedTensorV1: {
      Type element = in.type();
      return in.ok ? UnrankedTensorV1Type::get(context, element) : Type();
    }
    case kRankedBufferV1: {
      SmallVector<int64_t> shape = in.integers();
      Type element = in.type();
      return in.ok ? RankedBufferV1Type::get(context, shape, element) : Type();
    }
    case kUniformQuantizedV1: {
      const uint64_t flags = in.varint();
      Type storage = in.type();
      Type expressed = in.type();
      llvm::APFloat scale = in.real(llvm::APFloat::IEEEdouble());
      const int64_t zeroPoint = in.integer();
      const int64_t minimum = in.integer();
      const int64_t maximum = in.integer();
      if (!in.ok) return {};
      return UniformQuantizedV1Type::get(context, flags, storage, expressed, scale, zeroPoint,
                                         minimum, maximum);
    }
    case kUniformQuantizedPerAxisV1: {
      const uint64_t flags = in.varint();
      Type storage = in.type();
      Type expressed = in.type();
      const uint64_t dimension = in.varint();
      const int64_t minimum = in.integer();
      const int64_t maximum = in.integer();
      auto scales = in.list([&] { return in.real(llvm::APFloat::IEEEdouble()); });
      SmallVector<int64_t> zeroPoints = in.integers();
      if (dimension > INT32_MAX) in.refuse("a quantized dimension is ", dimension);
      if (!in.ok) return {};
      return UniformQuantizedPerAxisV1Type::get(context, flags, storage, expressed, dimension,
                                                scales, zeroPoints, minimum, maximum);
    }
  }
  in.refuse("unknown VHLO type code ", code);
  return {};
}

LogicalResult VhloBytecode::writeType(Type type, DialectBytecodeWriter& writer) const {
  for (const PlainType& each : plainTypes())
    if (each.id == type.getTypeID()) return writer.writeVarInt(each.code), success();
  return llvm::TypeSwitch<Type, LogicalResult>(type)
      .Case([&](ComplexV1Type complex) {
        writer.writeVarInt(kComplexV1);
        writer.writeType(complex.getElementType());
        return success();
      })
      .Case([&](FunctionV1Type function) {
        writer.writeVarInt(kFunctionV1);
        writer.writeTypes(function.getInputs());
        writer.writeTypes(function.getOutputs());
        return success();
      })
      .Case([&](RankedTensorV1Type tensor) {
        if (Attribute encoding = tensor.getEncoding()) {
          writer.writeVarInt(kRankedTensorV1WithEncoding);
          writer.writeAttribute(encoding);
        } else {
          writer.writeVarInt(kRankedTensorV1);
        }
        writer.writeSignedVarInts(tensor.getShape());
        writer.writeType(tensor.getElementType());
        return success();
      })
      .Case([&](TupleV1Type tuple) {
        writer.writeVarInt(kTupleV1);
        writer.writeTypes(tuple.getTypes());
        return success();
      })
      .Case([&](FutureV1Type future) {
        writer.writeVarInt(kFutureV1);
        writer.writeTypes(future.getTypes());
        return success();
      })
      .Case([&](UnrankedTensorV1Type tensor) {
        writer.writeVarInt(kUnrankedTensorV1);
        writer.writeType(tensor.getElementType());
        return success();
      })
      .Case([&](RankedBufferV1Type buffer) {
        writer.writeVarInt(kRankedBufferV1);
        writer.writeSignedVarInts(buffer.getShape());
        writer.writeType(buffer.getElementType());
        return success();
      })
      .Case([&](UniformQuantizedV1Type quantized) {
        writer.writeVarInt(kUniformQuantizedV1);
        writer.writeVarInt(quantized.getFlags());
        writer.writeType(quantized.getStorageType());
        writer.writeType(quantized.getExpressedType());
        writer.writeAPFloatWithKnownSemantics(quantized.getScale());
        writer.writeSignedVarInt(quantized.getZeroPoint());
        writer.writeSignedVarInt(quantized.getStorageTypeMin());
        writer.writeSignedVarInt(quantized.getStorageTypeMax());
        return success();
      })
      .Case([&](UniformQuantizedPerAxisV1Type quantized) {
        writer.writeVarInt(kUniformQuantizedPerAxisV1);
        writer.writeVarInt(quantized.getFlags());
        writer.writeType(quantized.getStorageType());
        writer.writeType(quantized.getExpressedType());
        writer.writeVarInt(quantized.getQuantizedDimension());
        writer.writeSignedVarInt(quantized.getStorageTypeMin());
        writer.writeSignedVarInt(quantized.getStorageTypeMax());
        writer.writeList(quantized.getScales(), [&](const llvm::APFloat& scale) {
          writer.writeAPFloatWithKnownSemantics(scale);
        });
        writer.writeSignedVarInts(quantized.getZeroPoints());
        return success();
      })
      .Default([](Type) { return failure(); });
}

}  // namespace

void VhloDialect::registerBytecode() { addInterfaces<VhloBytecode>(); }

}  // namespace mlir::vhlo
