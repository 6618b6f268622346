// Attributes as plain data; module_tree.h states the rules.

#include "golden/dialects/chlo/chlo_dialect.h"
#include "golden/dialects/sdy/sdy_dialect.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/program/tree_types.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
using namespace mlir;

namespace {

namespace shlo = stablehlo;

template <typename T>
Attribute plain(T value) {
  return Attribute{std::move(value), std::nullopt};
}

Attribute list(ArrayRef<int64_t> values) {
  return plain(std::vector<int64_t>(values.begin(), values.end()));
}

// The keyword of an enum, or none.
std::optional<std::string> keywordOf(mlir::Attribute attribute) {
  return TypeSwitch<mlir::Attribute, std::optional<std::string>>(attribute)
      .Case<shlo::ComparisonDirectionAttr, shlo::ComparisonTypeAttr, shlo::PrecisionAttr,
            shlo::FftTypeAttr, shlo::TransposeAttr, shlo::RngAlgorithmAttr,
            shlo::RngDistributionAttr, shlo::ResultAccuracyModeAttr, chlo::ComparisonDirectionAttr,
            chlo::ComparisonTypeAttr, chlo::PrecisionAttr>(
          [](auto keyword) { return stringifyEnum(keyword.getValue()).str(); })
      .Default([](mlir::Attribute) { return std::nullopt; });
}

std::optional<AttributeMap> fieldsOf(mlir::Attribute attribute);

// Structured attributes in a row; none where one of them has no fields.
template <typename Range>
std::optional<Attribute> fieldsOfEach(const Range& attributes) {
  AttributeList all;
  for (mlir::Attribute each : attributes) {
    auto fields = fieldsOf(each);
    if (!fields) return std::nullopt;
    all.push_back(plain(std::move(*fields)));
  }
  return plain(std::move(all));
}

// A structured attribute by the names of its fields; none where one of them cannot be plain.
template <typename T>
std::optional<AttributeMap> structureOf(T structure);

// Fields by their types.
using Field = std::optional<Attribute>;
Field fieldOf(ArrayRef<int64_t> values) { return list(values); }
Field fieldOf(int64_t value) { return plain(value); }
Field fieldOf(bool value) { return plain(value); }
Field fieldOf(StringRef text) { return plain(text.str()); }
Field fieldOf(StringAttr text) { return plain(text.getValue().str()); }
Field fieldOf(Type type) { return plain(debugString(type)); }
Field fieldOf(const APFloat& value) { return plain(value.convertToDouble()); }
Field fieldOf(shlo::ResultAccuracyModeAttr mode) {
  return plain(stringifyEnum(mode.getValue()).str());
}
Field fieldOf(shlo::SubAxisInfoAttr part) { return plain(*structureOf(part)); }
Field fieldOf(sdy::SubAxisInfoAttr part) { return plain(*structureOf(part)); }
Field fieldOf(DenseIntElementsAttr elements) {
  std::vector<int64_t> values;
  for (const APInt& value : elements.getValues<APInt>()) values.push_back(value.getSExtValue());
  return plain(std::move(values));
}
Field fieldOf(ArrayAttr attributes) { return fieldsOfEach(attributes); }
Field fieldOf(ArrayRef<StringAttr> names) {
  AttributeList all;
  for (StringAttr name : names) all.push_back(plain(name.getValue().str()));
  return plain(std::move(all));
}
template <typename T>
Field fieldOf(ArrayRef<T> attributes) {
  return fieldsOfEach(attributes);
}
Field fieldOf(mlir::Attribute attribute) {
  auto plainly = attributeOf(attribute);
  return plainly ? Field(std::move(*plainly)) : std::nullopt;
}

Field fieldOf(sdy::ReductionOp operation) { return plain(static_cast<int64_t>(operation)); }

// A tree has neither the priorities of a sharding, nor its axes that are only said to split
// nothing.
constexpr std::string_view kNotInTrees[] = {"priority", "replicated_axes"};

template <typename Value>
bool isLeftOut(std::string_view name, const Value& value) {
  if constexpr (std::is_base_of_v<mlir::Attribute, Value>) return !value;
  if constexpr (std::is_same_v<Value, ArrayRef<int64_t>>)
    if (name == "device_ids" && value.empty()) return true;
  if constexpr (std::is_same_v<Value, ArrayRef<sdy::AxisRefAttr>>)
    if (name == "unreduced_axes" && value.empty()) return true;
  if constexpr (std::is_same_v<Value, bool>)
    if (name == "is_closed" && value) return true;
  if constexpr (std::is_same_v<Value, sdy::ReductionOp>) return value == sdy::ReductionOp::Sum;
  return llvm::is_contained(kNotInTrees, name);
}

template <typename T>
std::optional<AttributeMap> structureOf(T structure) {
  AttributeMap fields;
  bool isWhole = true;
  structure.visitFields([&](const char* name, const auto& value) {
    if (isLeftOut(name, value)) return;
    if constexpr (requires { fieldOf(value); }) {
      Field field = fieldOf(value);
      isWhole = isWhole && field;
      if (field) fields.emplace(name, std::move(*field));
    }
  });
  return isWhole ? std::optional(std::move(fields)) : std::nullopt;
}

// None where `attribute` is not structured.
std::optional<AttributeMap> fieldsOf(mlir::Attribute attribute) {
  return TypeSwitch<mlir::Attribute, std::optional<AttributeMap>>(attribute)
      .Case<shlo::DotDimensionNumbersAttr, shlo::DotAlgorithmAttr, shlo::GatherDimensionNumbersAttr,
            shlo::ScatterDimensionNumbersAttr, shlo::ConvDimensionNumbersAttr,
            shlo::OutputOperandAliasAttr, shlo::ChannelHandleAttr, shlo::ResultAccuracyAttr,
            shlo::MeshAttr, shlo::MeshAxisAttr, shlo::AxisRefAttr, shlo::ReplicaGroupMeshAxesAttr,
            chlo::RaggedDotDimensionNumbersAttr, sdy::MeshAttr, sdy::MeshAxisAttr, sdy::AxisRefAttr,
            sdy::TensorShardingPerValueAttr, sdy::TensorShardingAttr, sdy::DimensionShardingAttr,
            sdy::ManualAxesAttr>([](auto structure) { return structureOf(structure); })
      .Default([](mlir::Attribute) { return std::nullopt; });
}

Attribute integerOf(IntegerAttr integer) {
  const APInt& value = integer.getValue();
  auto type = dyn_cast<IntegerType>(integer.getType());
  const bool isUnsigned = type && type.isUnsigned();
  // Wider than 64 bits does not occur in StableHLO; its low bits are kept.
  const APInt narrow = isUnsigned ? value.zextOrTrunc(64) : value.sextOrTrunc(64);
  return Attribute{static_cast<int64_t>(narrow.getZExtValue()),
                   type ? elementTypeOf(type) : ElementType::kI64};
}

Attribute floatOf(FloatAttr number) {
  APFloat value = number.getValue();
  bool losesInformation = false;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInformation);
  return Attribute{value.convertToDouble(), elementTypeOf(number.getType())};
}

std::string symbolOf(SymbolRefAttr symbol) {
  std::string name = symbol.getRootReference().str();
  for (FlatSymbolRefAttr nested : symbol.getNestedReferences())
    name += "::" + nested.getValue().str();
  return name;
}

Result<Attribute> elementsOf(ElementsAttr elements, bool keepTensors) {
  ASSIGN_OR_RETURN(auto tensor, tensorOf(elements));
  const ElementType type = tensor.type();
  if (!keepTensors && type == ElementType::kI64 && tensor.rank() == 1) {
    const auto values = tensor.values<int64_t>();
    return Attribute{std::vector<int64_t>(values.begin(), values.end()), type};
  }
  if (!keepTensors && type == ElementType::kI1 && tensor.rank() == 1) {
    const auto values = tensor.values<uint8_t>();
    return Attribute{std::vector<bool>(values.begin(), values.end()), type};
  }
  return Attribute{std::move(tensor), type};
}

Result<Attribute> arrayOf(DenseArrayAttr array) {
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(array)) return list(integers.asArrayRef());
  if (auto booleans = dyn_cast<DenseBoolArrayAttr>(array))
    return plain(std::vector<bool>(booleans.asArrayRef().begin(), booleans.asArrayRef().end()));
  const auto element = elementTypeOf(array.getElementType());
  if (!element) return plain(debugString(array));
  ASSIGN_OR_RETURN(auto tensor,
                   Tensor::fromBytes(*element, {array.getSize()},
                                     std::as_bytes(std::span(array.getRawData().data(),
                                                             array.getRawData().size()))));
  return Attribute{std::move(tensor), element};
}

}  // namespace

Result<Attribute> attributeOf(mlir::Attribute attribute, bool keepTensors) {
  if (isa<UnitAttr>(attribute)) return plain(true);
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return Attribute{boolean.getValue(), ElementType::kI1};
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) return integerOf(integer);
  if (auto number = dyn_cast<FloatAttr>(attribute)) return floatOf(number);
  if (auto string = dyn_cast<StringAttr>(attribute)) return plain(string.getValue().str());
  if (auto symbol = dyn_cast<SymbolRefAttr>(attribute)) return plain(symbolOf(symbol));
  if (auto array = dyn_cast<DenseArrayAttr>(attribute)) return arrayOf(array);
  if (auto elements = dyn_cast<ElementsAttr>(attribute)) return elementsOf(elements, keepTensors);
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    AttributeList values;
    for (mlir::Attribute each : array) {
      ASSIGN_OR_RETURN(values.emplace_back(), attributeOf(each));
    }
    return plain(std::move(values));
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    AttributeMap values;
    for (NamedAttribute each : dictionary) {
      ASSIGN_OR_RETURN(auto value, attributeOf(each.getValue()));
      values.emplace(each.getName().str(), std::move(value));
    }
    return plain(std::move(values));
  }
  if (auto keyword = keywordOf(attribute)) return plain(std::move(*keyword));
  if (auto fields = fieldsOf(attribute)) return plain(std::move(*fields));
  return plain(debugString(attribute));
}

}  // namespace vintage::golden
