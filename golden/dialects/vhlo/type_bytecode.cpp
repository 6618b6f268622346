#include "golden/dialects/vhlo/field_reader.h"
#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_bytecode.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::vhlo {
namespace {

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
  return PlainType{code, TypeID::get<T>(),
                   [](MLIRContext* context) -> Type { return T::get(context); }};
}

ArrayRef<PlainType> plainTypes() {
  static const PlainType kPlainTypes[] = {
      plain<BooleanV1Type>(0),
      plain<FloatBF16V1Type>(2),
      plain<FloatF16V1Type>(3),
      plain<FloatF32V1Type>(4),
      plain<FloatF64V1Type>(5),
      plain<FloatF8E4M3FNV1Type>(6),
      plain<FloatF8E5M2V1Type>(7),
      plain<IndexV1Type>(9),
      plain<IntegerSI4V1Type>(10),
      plain<IntegerSI8V1Type>(11),
      plain<IntegerSI16V1Type>(12),
      plain<IntegerSI32V1Type>(13),
      plain<IntegerSI64V1Type>(14),
      plain<IntegerUI4V1Type>(15),
      plain<IntegerUI8V1Type>(16),
      plain<IntegerUI16V1Type>(17),
      plain<IntegerUI32V1Type>(18),
      plain<IntegerUI64V1Type>(19),
      plain<TokenV1Type>(22),
      plain<WitnessV1Type>(26),
      plain<FloatF8E4M3FNUZV1Type>(27),
      plain<FloatF8E5M2FNUZV1Type>(28),
      plain<FloatF8E4M3B11FNUZV1Type>(29),
      plain<IntegerSI2V1Type>(31),
      plain<IntegerUI2V1Type>(32),
      plain<NoneV1Type>(33),
      plain<FloatTF32V1Type>(34),
      plain<FloatF8E4M3V1Type>(35),
      plain<FloatF8E3M4V1Type>(36),
      plain<FloatF4E2M1FNV1Type>(37),
      plain<FloatF6E2M3FNV1Type>(38),
      plain<FloatF6E3M2FNV1Type>(39),
      plain<FloatF8E8M0FNUV1Type>(40),
  };
  return kPlainTypes;
}

Type readFields(FieldReader& in, uint64_t code, MLIRContext* context) {
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

}  // namespace

Type readTypeBytecode(DialectBytecodeReader& reader, MLIRContext* context) {
  FieldReader in(reader);
  const uint64_t code = in.varint();
  Type type = in.ok ? readFields(in, code, context) : Type();
  return in.ok ? type : Type();
}

LogicalResult writeTypeBytecode(Type type, DialectBytecodeWriter& writer) {
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

}  // namespace mlir::vhlo
