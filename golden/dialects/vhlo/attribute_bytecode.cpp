#include "golden/dialects/vhlo/field_reader.h"
#include "golden/dialects/vhlo/vhlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_bytecode.h"
#include "golden/dialects/vhlo/vhlo_numbers.h"
#include "llvm/ADT/TypeSwitch.h"

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

template <typename EnumAttribute, typename Symbolize>
Attribute readEnum(FieldReader& in, MLIRContext* context, Symbolize symbolize, StringRef name) {
  const uint64_t value = in.varint();
  if (!in.ok) return {};
  if (value <= UINT32_MAX)
    if (auto known = symbolize(static_cast<uint32_t>(value)))
      return EnumAttribute::get(context, *known);
  in.refuse("unknown ", name, " ", value);
  return {};
}

Attribute readFields(FieldReader& in, uint64_t code, MLIRContext* context) {
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
          in, context, [](uint32_t v) { return symbolizeComparisonDirectionV1(v); },
          "comparison direction");
    case kComparisonTypeV1:
      return readEnum<ComparisonTypeV1Attr>(
          in, context, [](uint32_t v) { return symbolizeComparisonTypeV1(v); }, "comparison type");
    case kCustomCallApiVersionV1:
      return readEnum<CustomCallApiVersionV1Attr>(
          in, context, [](uint32_t v) { return symbolizeCustomCallApiVersionV1(v); },
          "API version");
    case kDictionaryV1:
      return DictionaryV1Attr::get(context, in.list([&] {
        Attribute name = in.attribute();
        Attribute value = in.attribute();
        return std::pair<Attribute, Attribute>(name, value);
      }));
    case kFftTypeV1:
      return readEnum<FftTypeV1Attr>(
          in, context, [](uint32_t v) { return symbolizeFftTypeV1(v); }, "FFT type");
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
          in, context, [](uint32_t v) { return symbolizePrecisionV1(v); }, "precision");
    case kRngAlgorithmV1:
      return readEnum<RngAlgorithmV1Attr>(
          in, context, [](uint32_t v) { return symbolizeRngAlgorithmV1(v); },
          "random number algorithm");
    case kRngDistributionV1:
      return readEnum<RngDistributionV1Attr>(
          in, context, [](uint32_t v) { return symbolizeRngDistributionV1(v); },
          "random distribution");
    case kStringV1:
      return StringV1Attr::get(context, in.string());
    case kTensorV1: {
      Type type = in.type();
      ArrayRef<char> data = in.blob();
      return in.ok ? TensorV1Attr::get(context, type, data) : Attribute();
    }
    case kTransposeV1:
      return readEnum<TransposeV1Attr>(
          in, context, [](uint32_t v) { return symbolizeTransposeV1(v); }, "transpose");
    case kTypeV1: {
      Type type = in.type();
      return in.ok ? TypeV1Attr::get(context, type) : Attribute();
    }
    case kTypeExtensionsV1:
      return TypeExtensionsV1Attr::get(context, in.integers());
    case kResultAccuracyModeV1:
      return readEnum<ResultAccuracyModeV1Attr>(
          in, context, [](uint32_t v) { return symbolizeResultAccuracyModeV1(v); },
          "accuracy mode");
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

}  // namespace

Attribute readAttributeBytecode(DialectBytecodeReader& reader, MLIRContext* context) {
  FieldReader in(reader);
  const uint64_t code = in.varint();
  Attribute attribute = in.ok ? readFields(in, code, context) : Attribute();
  return in.ok ? attribute : Attribute();
}

LogicalResult writeAttributeBytecode(Attribute attribute, DialectBytecodeWriter& writer) {
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

}  // namespace mlir::vhlo
