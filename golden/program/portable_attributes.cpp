#include "golden/program/portable_attributes.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using mlir::Attribute;

// How many elements a static shape has; nothing where it is dynamic, or so large
// that its size in bits would not fit.
std::optional<int64_t> elementCount(ShapedType type) {
  if (!type.hasStaticShape()) return std::nullopt;
  int64_t count = 1;
  for (int64_t size : type.getShape())
    if (__builtin_mul_overflow(count, size, &count) || count > (int64_t{1} << 56))
      return std::nullopt;
  return count;
}

// Booleans are packed eight in a byte, or one byte stands for all where they
// are equal; some producers wrote a byte for each.
Attribute booleanTensor(ShapedType type, ArrayRef<char> data) {
  const std::optional<int64_t> count = elementCount(type);
  if (!count) return {};
  const auto size = static_cast<int64_t>(data.size());
  SmallVector<bool> values;
  const int64_t packed = (*count + 7) / 8;
  if (size == packed && size != *count) {
    values.reserve(*count);
    for (int64_t i = 0; i < *count; ++i) values.push_back((data[i / 8] >> (i % 8)) & 1);
  } else if (size == *count) {
    for (char each : data) values.push_back(each != 0);
  } else if (size == 1 && *count > 0) {
    values.push_back(data[0] != 0);
  } else {
    return {};
  }
  return DenseElementsAttr::get(type, ArrayRef<bool>(values));
}

// Attributes of StableHLO and VHLO with the same cases under the same numbers, or the same fields.
template <typename Working, typename Portable>
struct Twin {};
template <typename... T>
struct TwinList {};
using Twins = TwinList<Twin<stablehlo::AxisRefAttr, vhlo::AxisRefV1Attr>,
                       Twin<stablehlo::ComparisonDirectionAttr, vhlo::ComparisonDirectionV1Attr>,
                       Twin<stablehlo::ComparisonTypeAttr, vhlo::ComparisonTypeV1Attr>,
                       Twin<stablehlo::FftTypeAttr, vhlo::FftTypeV1Attr>,
                       Twin<stablehlo::MeshAttr, vhlo::MeshV1Attr>,
                       Twin<stablehlo::MeshAxisAttr, vhlo::MeshAxisV1Attr>,
                       Twin<stablehlo::OutputOperandAliasAttr, vhlo::OutputOperandAliasV1Attr>,
                       Twin<stablehlo::PrecisionAttr, vhlo::PrecisionV1Attr>,
                       Twin<stablehlo::ReplicaGroupMeshAxesAttr, vhlo::ReplicaGroupMeshAxesV1Attr>,
                       Twin<stablehlo::ResultAccuracyAttr, vhlo::ResultAccuracyV1Attr>,
                       Twin<stablehlo::ResultAccuracyModeAttr, vhlo::ResultAccuracyModeV1Attr>,
                       Twin<stablehlo::RngAlgorithmAttr, vhlo::RngAlgorithmV1Attr>,
                       Twin<stablehlo::RngDistributionAttr, vhlo::RngDistributionV1Attr>,
                       Twin<stablehlo::SubAxisInfoAttr, vhlo::SubAxisInfoV1Attr>,
                       Twin<stablehlo::TransposeAttr, vhlo::TransposeV1Attr>,
                       Twin<stablehlo::TypeExtensionsAttr, vhlo::TypeExtensionsV1Attr>>;

// Optional attributes may be null.
template <typename From, typename To, typename Translate>
bool translateField(const From& from, To& to, const Translate& translate) {
  if constexpr (!std::is_base_of_v<Attribute, To>) {
    if constexpr (std::is_assignable_v<To&, const From&>)
      to = from;
    else
      to.assign(from.begin(), from.end());
    return true;
  } else {
    if (from) to = dyn_cast_or_null<To>(translate(from));
    return !from || to;
  }
}

// Null where To has no case of that number, or a field cannot be translated.
template <typename To, typename From, typename Translate>
Attribute translateTwin(From from, const Translate& translate) {
  if constexpr (requires { To::symbolize(0u); }) {
    const auto value = To::symbolize(static_cast<uint32_t>(from.getValue()));
    return value ? To::get(from.getContext(), *value) : To();
  } else {
    typename To::Fields fields;
    bool isWhole = true;
    fields.visit([&]<typename Field>(std::string_view name, Field& to) {
      from.visitFields([&]<typename Value>(std::string_view other, const Value& value) {
        if constexpr (std::is_base_of_v<Attribute, Value> == std::is_base_of_v<Attribute, Field> &&
                      std::is_integral_v<Value> == std::is_integral_v<Field>)
          if (name == other) isWhole = isWhole && translateField(value, to, translate);
      });
    });
    return isWhole ? To::fromFields(from.getContext(), fields) : To();
  }
}

// Null where `attribute` has no twin.
template <bool kToPortable, typename Translate, typename... T>
Attribute twinOf(Attribute attribute, const Translate& translate, TwinList<T...>) {
  Attribute twin;
  const auto tryOne = [&]<typename Working, typename Portable>(Twin<Working, Portable>) {
    auto from = dyn_cast<std::conditional_t<kToPortable, Working, Portable>>(attribute);
    using To = std::conditional_t<kToPortable, Portable, Working>;
    if (from) twin = translateTwin<To>(from, translate);
    return static_cast<bool>(from);
  };
  (void)(tryOne(T()) || ...);
  return twin;
}

}  // namespace

Attribute PortableAttributes::fromPortable(Attribute attribute, AttributeForm form) {
  if (!attribute || depth_ > kDeepestNesting) return {};
  switch (form) {
    case AttributeForm::kIntegers:
      if (auto values = integersOf(attribute)) return DenseI64ArrayAttr::get(context_, *values);
      return {};
    case AttributeForm::kBooleans: {
      auto elements = dyn_cast_or_null<DenseElementsAttr>(tensorFromPortable(attribute));
      if (!elements || !elements.getElementType().isInteger(1) || elements.getType().getRank() != 1)
        return {};
      SmallVector<bool> values(elements.getValues<bool>());
      return DenseBoolArrayAttr::get(context_, values);
    }
    case AttributeForm::kSymbol:
      if (auto name = dyn_cast<vhlo::StringV1Attr>(attribute))
        return FlatSymbolRefAttr::get(context_, name.getValue());
      return {};
    case AttributeForm::kSymbols: {
      auto names = dyn_cast<vhlo::ArrayV1Attr>(attribute);
      if (!names) return {};
      SmallVector<Attribute> symbols;
      if (!translateEach(names.getValue(), symbols, [this](Attribute name) {
            return fromPortable(name, AttributeForm::kSymbol);
          }))
        return {};
      return ArrayAttr::get(context_, symbols);
    }
    case AttributeForm::kFlag:
      if (auto flag = dyn_cast<vhlo::BooleanV1Attr>(attribute))
        if (flag.getValue()) return UnitAttr::get(context_);
      return {};
    case AttributeForm::kGeneric:
      break;
  }
  if (attribute.getDialect().getNamespace() != "vhlo") return attribute;
  ++depth_;
  Attribute translated = genericFromPortable(attribute);
  --depth_;
  return translated;
}

Attribute PortableAttributes::tensorFromPortable(Attribute attribute) {
  auto tensor = dyn_cast<vhlo::TensorV1Attr>(attribute);
  if (!tensor) return {};
  auto type = dyn_cast_or_null<ShapedType>(types_.fromPortable(tensor.getType()));
  if (!type || !isa<RankedTensorType>(type) || !elementCount(type)) return {};
  Type element = type.getElementType();
  if (element.isInteger(1)) return booleanTensor(type, tensor.getData());
  // DenseElementsAttr holds no other elements.
  auto complex = dyn_cast<ComplexType>(element);
  if (!(complex ? complex.getElementType() : element).isIntOrIndexOrFloat()) return {};
  bool splat = false;
  if (!DenseElementsAttr::isValidRawBuffer(type, tensor.getData(), splat)) return {};
  return DenseElementsAttr::getFromRawBuffer(type, tensor.getData());
}

Attribute PortableAttributes::genericFromPortable(Attribute attribute) {
  return TypeSwitch<Attribute, Attribute>(attribute)
      .Case([&](vhlo::ArrayV1Attr array) -> Attribute {
        SmallVector<Attribute> elements;
        if (!translateEach(array.getValue(), elements, [this](Attribute each) {
              return fromPortable(each, AttributeForm::kGeneric);
            }))
          return {};
        return ArrayAttr::get(context_, elements);
      })
      .Case([&](vhlo::BooleanV1Attr each) { return BoolAttr::get(context_, each.getValue()); })
      .Case([&](vhlo::DictionaryV1Attr dictionary) -> Attribute {
        NamedAttrList entries;
        for (const auto& [name, value] : dictionary.getValue()) {
          auto key = dyn_cast<vhlo::StringV1Attr>(name);
          Attribute translated = fromPortable(value, AttributeForm::kGeneric);
          if (!key || key.getValue().empty() || !translated || entries.get(key.getValue()))
            return {};
          entries.append(key.getValue(), translated);
        }
        return entries.getDictionary(context_);
      })
      .Case([&](vhlo::FloatV1Attr number) -> Attribute {
        auto type = dyn_cast_or_null<FloatType>(types_.fromPortable(number.getType()));
        if (!type || &type.getFloatSemantics() != &number.getValue().getSemantics()) return {};
        return FloatAttr::get(type, number.getValue());
      })
      .Case([&](vhlo::IntegerV1Attr number) -> Attribute {
        Type type = types_.fromPortable(number.getType());
        if (!type || !type.isIntOrIndex()) return {};
        const unsigned width =
            type.isIndex() ? IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
        if (number.getValue().getBitWidth() != width) return {};
        return IntegerAttr::get(type, number.getValue());
      })
      .Case([&](vhlo::StringV1Attr string) { return StringAttr::get(context_, string.getValue()); })
      .Case([&](vhlo::TensorV1Attr tensor) { return tensorFromPortable(tensor); })
      .Case([&](vhlo::TypeV1Attr type) -> Attribute {
        Type translated = types_.fromPortable(type.getValue());
        return translated ? TypeAttr::get(translated) : Attribute();
      })
      .Case([&](vhlo::CustomCallApiVersionV1Attr version) -> Attribute {
        return stablehlo::CustomCallApiVersionAttr::get(
            context_, static_cast<stablehlo::CustomCallApiVersion>(version.getValue()));
      })
      .Default([&](Attribute other) {
        // A mesh is in place, or named by a symbol.
        const bool namesMesh = isa<vhlo::ReplicaGroupMeshAxesV1Attr>(other);
        const auto translate = [&](Attribute field) {
          return fromPortable(field, namesMesh && isa<vhlo::StringV1Attr>(field)
                                         ? AttributeForm::kSymbol
                                         : AttributeForm::kGeneric);
        };
        return twinOf<false>(other, translate, Twins());
      });
}

Attribute PortableAttributes::tensorToPortable(DenseElementsAttr elements) {
  Type type = types_.toPortable(elements.getType());
  return type ? vhlo::TensorV1Attr::get(context_, type, elements.getRawData()) : Attribute();
}

Attribute PortableAttributes::toPortable(Attribute attribute) {
  if (!attribute || depth_ > kDeepestNesting) return {};
  const StringRef dialect = attribute.getDialect().getNamespace();
  if (dialect != "builtin" && dialect != "stablehlo") return attribute;
  ++depth_;
  Attribute translated = genericToPortable(attribute);
  --depth_;
  return translated;
}

Attribute PortableAttributes::genericToPortable(Attribute attribute) {
  const auto to = [this](Attribute part) { return toPortable(part); };
  return TypeSwitch<Attribute, Attribute>(attribute)
      .Case([&](ArrayAttr array) -> Attribute {
        SmallVector<Attribute> elements;
        if (!translateEach(array.getValue(), elements, to)) return {};
        return vhlo::ArrayV1Attr::get(context_, elements);
      })
      .Case([&](DenseElementsAttr elements) -> Attribute {
        return elements.getElementType().isIntOrIndexOrFloat() ||
                       isa<ComplexType>(elements.getElementType())
                   ? tensorToPortable(elements)
                   : Attribute();
      })
      .Case([&](DenseI64ArrayAttr array) { return integers(array.asArrayRef()); })
      .Case([&](DenseBoolArrayAttr array) {
        auto type = RankedTensorType::get({array.size()}, IntegerType::get(context_, 1));
        return tensorToPortable(DenseElementsAttr::get(type, array.asArrayRef()));
      })
      // VHLO has no arrays of other elements, and upstream leaves it as it is.
      .Case([&](DenseArrayAttr array) { return array; })
      .Case([&](DictionaryAttr dictionary) -> Attribute {
        SmallVector<std::pair<Attribute, Attribute>> entries;
        for (NamedAttribute entry : dictionary) {
          Attribute value = toPortable(entry.getValue());
          if (!value) return {};
          entries.emplace_back(vhlo::StringV1Attr::get(context_, entry.getName().getValue()),
                               value);
        }
        return vhlo::DictionaryV1Attr::get(context_, entries);
      })
      .Case([&](FloatAttr number) -> Attribute {
        Type type = types_.toPortable(number.getType());
        return type ? vhlo::FloatV1Attr::get(context_, type, number.getValue()) : Attribute();
      })
      .Case([&](BoolAttr each) { return vhlo::BooleanV1Attr::get(context_, each.getValue()); })
      .Case([&](IntegerAttr number) -> Attribute {
        Type type = types_.toPortable(number.getType());
        return type ? vhlo::IntegerV1Attr::get(context_, type, number.getValue()) : Attribute();
      })
      .Case([&](FlatSymbolRefAttr symbol) -> Attribute {
        return vhlo::StringV1Attr::get(context_, symbol.getValue());
      })
      .Case([&](StringAttr string) -> Attribute {
        if (!isa<NoneType>(string.getType())) return {};
        return vhlo::StringV1Attr::get(context_, string.getValue());
      })
      .Case([&](OpaqueAttr unknown) { return unknown; })
      .Case([&](TypeAttr type) -> Attribute {
        Type translated = types_.toPortable(type.getValue());
        return translated ? vhlo::TypeV1Attr::get(context_, translated) : Attribute();
      })
      .Default([&](Attribute other) { return twinOf<true>(other, to, Twins()); });
}

Attribute PortableAttributes::ofText(StringRef text) {
  if (text.empty()) return {};
  Attribute& known = ofTexts_[text];
  if (!known) known = toPortable(parseAttribute(text, context_));
  return known;
}

Attribute PortableAttributes::apiVersion(Attribute attribute) {
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !number.getType().isInteger(32)) return {};
  auto version = vhlo::symbolizeCustomCallApiVersionV1(
      static_cast<uint32_t>(number.getValue().getZExtValue()));
  return version ? vhlo::CustomCallApiVersionV1Attr::get(context_, *version) : Attribute();
}

Attribute PortableAttributes::integer(int64_t value) {
  return vhlo::IntegerV1Attr::get(context_, vhlo::IntegerSI64V1Type::get(context_),
                                  APInt(64, static_cast<uint64_t>(value)));
}

Attribute PortableAttributes::integers(ArrayRef<int64_t> values) {
  auto type =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, IntegerType::get(context_, 64));
  return tensorToPortable(DenseElementsAttr::get(type, values));
}

Attribute PortableAttributes::splat(ArrayRef<int64_t> shape, int64_t value) {
  auto type = RankedTensorType::get(shape, IntegerType::get(context_, 64));
  if (type.getNumElements() == 0)
    return tensorToPortable(DenseElementsAttr::get(type, ArrayRef<int64_t>()));
  return tensorToPortable(DenseElementsAttr::get(type, value));
}

std::optional<int64_t> PortableAttributes::integerOf(Attribute attribute) {
  auto number = dyn_cast_or_null<vhlo::IntegerV1Attr>(attribute);
  if (!number || number.getValue().getBitWidth() > 64) return std::nullopt;
  return number.getValue().getSExtValue();
}

std::optional<SmallVector<int64_t>> PortableAttributes::integersOf(Attribute attribute) {
  if (!attribute) return std::nullopt;
  auto elements = dyn_cast_or_null<DenseElementsAttr>(tensorFromPortable(attribute));
  if (!elements || !elements.getElementType().isInteger(64) || elements.getType().getRank() != 1)
    return std::nullopt;
  return SmallVector<int64_t>(elements.getValues<int64_t>());
}

}  // namespace vintage::golden
