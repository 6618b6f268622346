// Attributes as plain data; module_tree.h states the rules.

#include "golden/dialects/chlo/chlo_dialect.h"
#include "golden/dialects/sdy/sdy_dialect.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/program/tree_types.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
namespace {

namespace shlo = mlir::stablehlo;

template <typename T>
Attribute plain(T value) {
  return Attribute{std::move(value), std::nullopt};
}

Attribute list(llvm::ArrayRef<int64_t> values) {
  return plain(std::vector<int64_t>(values.begin(), values.end()));
}

// The keyword of an enum, or none.
std::optional<std::string> keywordOf(mlir::Attribute attribute) {
  return llvm::TypeSwitch<mlir::Attribute, std::optional<std::string>>(attribute)
      .Case<shlo::ComparisonDirectionAttr, shlo::ComparisonTypeAttr, shlo::PrecisionAttr,
            shlo::FftTypeAttr, shlo::TransposeAttr, shlo::RngAlgorithmAttr,
            shlo::RngDistributionAttr, shlo::ResultAccuracyModeAttr>(
          [](auto keyword) { return stringifyEnum(keyword.getValue()).str(); })
      .Case<mlir::chlo::ComparisonDirectionAttr, mlir::chlo::ComparisonTypeAttr,
            mlir::chlo::PrecisionAttr>(
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

// A mesh, an axis of one and groups along axes, of StableHLO and of Shardy.
std::optional<AttributeMap> meshFieldsOf(mlir::Attribute attribute) {
  using Fields = std::optional<AttributeMap>;
  const auto axis = [](llvm::StringRef name, int64_t size) -> Fields {
    return AttributeMap{{"name", plain(name.str())}, {"size", plain(size)}};
  };
  const auto part = [](llvm::StringRef name, auto info) -> Fields {
    AttributeMap fields{{"name", plain(name.str())}};
    if (info)
      fields.emplace("sub_axis_info", plain(AttributeMap{{"pre_size", plain(info.getPreSize())},
                                                         {"size", plain(info.getSize())}}));
    return fields;
  };
  return llvm::TypeSwitch<mlir::Attribute, Fields>(attribute)
      .Case([&](shlo::MeshAxisAttr a) { return axis(a.getName().getValue(), a.getSize()); })
      .Case([&](mlir::sdy::MeshAxisAttr a) { return axis(a.getName(), a.getSize()); })
      .Case([&](shlo::AxisRefAttr a) {
        return part(a.getName().getValue(), a.getSubAxisInfo());
      })
      .Case([&](mlir::sdy::AxisRefAttr a) { return part(a.getName(), a.getSubAxisInfo()); })
      .Case([](shlo::MeshAttr a) -> Fields {
        auto axes = fieldsOfEach(a.getAxes());
        if (!axes) return std::nullopt;
        AttributeMap fields{{"axes", std::move(*axes)}};
        if (a.getDeviceIds()) {
          std::vector<int64_t> ids;
          for (const llvm::APInt& id : a.getDeviceIds().getValues<llvm::APInt>())
            ids.push_back(id.getSExtValue());
          fields.emplace("device_ids", plain(std::move(ids)));
        }
        return fields;
      })
      .Case([](mlir::sdy::MeshAttr a) -> Fields {
        auto axes = fieldsOfEach(a.getAxes());
        if (!axes) return std::nullopt;
        AttributeMap fields{{"axes", std::move(*axes)}};
        if (!a.getDeviceIds().empty()) fields.emplace("device_ids", list(a.getDeviceIds()));
        return fields;
      })
      .Case([](mlir::sdy::TensorShardingPerValueAttr a) -> Fields {
        auto shardings = fieldsOfEach(a.getShardings());
        if (!shardings) return std::nullopt;
        return AttributeMap{{"shardings", std::move(*shardings)}};
      })
      .Case([](mlir::sdy::TensorShardingAttr a) -> Fields {
        auto mesh = attributeOf(a.getMeshOrRef());
        auto dimensions = fieldsOfEach(a.getDimShardings());
        if (!mesh || !dimensions) return std::nullopt;
        return AttributeMap{{"mesh", std::move(*mesh)}, {"dimensions", std::move(*dimensions)}};
      })
      .Case([](mlir::sdy::DimensionShardingAttr a) -> Fields {
        auto axes = fieldsOfEach(a.getAxes());
        if (!axes) return std::nullopt;
        return AttributeMap{{"axes", std::move(*axes)}};
      })
      .Case([](mlir::sdy::ManualAxesAttr a) -> Fields {
        AttributeList names;
        for (mlir::StringAttr name : a.getValue()) names.push_back(plain(name.getValue().str()));
        return AttributeMap{{"axes", plain(std::move(names))}};
      })
      .Case([](shlo::ReplicaGroupMeshAxesAttr a) -> Fields {
        auto axes = fieldsOfEach(a.getAxes());
        auto mesh = attributeOf(a.getMesh());
        if (!axes || !mesh) return std::nullopt;
        return AttributeMap{{"mesh", std::move(*mesh)}, {"axes", std::move(*axes)}};
      })
      .Default([](mlir::Attribute) { return std::nullopt; });
}

Attribute fieldOf(llvm::ArrayRef<int64_t> values) { return list(values); }
Attribute fieldOf(int64_t value) { return plain(value); }
Attribute fieldOf(bool value) { return plain(value); }
Attribute fieldOf(mlir::Type type) { return plain(mlir::debugString(type)); }
Attribute fieldOf(const llvm::APFloat& value) { return plain(value.convertToDouble()); }
Attribute fieldOf(shlo::ResultAccuracyModeAttr mode) {
  return plain(stringifyEnum(mode.getValue()).str());
}

// A structured attribute by the names of its fields, or none.
std::optional<AttributeMap> fieldsOf(mlir::Attribute attribute) {
  using Fields = std::optional<AttributeMap>;
  return llvm::TypeSwitch<mlir::Attribute, Fields>(attribute)
      .Case<shlo::DotDimensionNumbersAttr, shlo::DotAlgorithmAttr, shlo::GatherDimensionNumbersAttr,
            shlo::ScatterDimensionNumbersAttr, shlo::ConvDimensionNumbersAttr,
            shlo::OutputOperandAliasAttr, shlo::ChannelHandleAttr, shlo::ResultAccuracyAttr,
            mlir::chlo::RaggedDotDimensionNumbersAttr>(
          [](auto structure) -> Fields {
            AttributeMap fields;
            structure.visitFields([&](const char* name, const auto& value) {
              fields.emplace(name, fieldOf(value));
            });
            return fields;
          })
      .Default([](mlir::Attribute other) { return meshFieldsOf(other); });
}

Attribute integerOf(mlir::IntegerAttr integer) {
  const llvm::APInt& value = integer.getValue();
  auto type = mlir::dyn_cast<mlir::IntegerType>(integer.getType());
  const bool isUnsigned = type && type.isUnsigned();
  // Wider than 64 bits does not occur in StableHLO; its low bits are kept.
  const llvm::APInt narrow = isUnsigned ? value.zextOrTrunc(64) : value.sextOrTrunc(64);
  return Attribute{static_cast<int64_t>(narrow.getZExtValue()),
                   type ? elementTypeOf(type) : ElementType::kI64};
}

Attribute floatOf(mlir::FloatAttr number) {
  llvm::APFloat value = number.getValue();
  bool losesInformation = false;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInformation);
  return Attribute{value.convertToDouble(), elementTypeOf(number.getType())};
}

std::string symbolOf(mlir::SymbolRefAttr symbol) {
  std::string name = symbol.getRootReference().str();
  for (mlir::FlatSymbolRefAttr nested : symbol.getNestedReferences())
    name += "::" + nested.getValue().str();
  return name;
}

Result<Attribute> elementsOf(mlir::ElementsAttr elements, bool keepTensors) {
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

Result<Attribute> arrayOf(mlir::DenseArrayAttr array) {
  if (auto integers = mlir::dyn_cast<mlir::DenseI64ArrayAttr>(array))
    return list(integers.asArrayRef());
  if (auto booleans = mlir::dyn_cast<mlir::DenseBoolArrayAttr>(array))
    return plain(std::vector<bool>(booleans.asArrayRef().begin(), booleans.asArrayRef().end()));
  const auto element = elementTypeOf(array.getElementType());
  if (!element) return plain(mlir::debugString(array));
  ASSIGN_OR_RETURN(auto tensor,
                   Tensor::fromBytes(*element, {array.getSize()},
                                     std::as_bytes(std::span(array.getRawData().data(),
                                                             array.getRawData().size()))));
  return Attribute{std::move(tensor), element};
}

}  // namespace

Result<Attribute> attributeOf(mlir::Attribute attribute, bool keepTensors) {
  if (mlir::isa<mlir::UnitAttr>(attribute)) return plain(true);
  if (auto boolean = mlir::dyn_cast<mlir::BoolAttr>(attribute))
    return Attribute{boolean.getValue(), ElementType::kI1};
  if (auto integer = mlir::dyn_cast<mlir::IntegerAttr>(attribute)) return integerOf(integer);
  if (auto number = mlir::dyn_cast<mlir::FloatAttr>(attribute)) return floatOf(number);
  if (auto string = mlir::dyn_cast<mlir::StringAttr>(attribute))
    return plain(string.getValue().str());
  if (auto symbol = mlir::dyn_cast<mlir::SymbolRefAttr>(attribute)) return plain(symbolOf(symbol));
  if (auto array = mlir::dyn_cast<mlir::DenseArrayAttr>(attribute)) return arrayOf(array);
  if (auto elements = mlir::dyn_cast<mlir::ElementsAttr>(attribute))
    return elementsOf(elements, keepTensors);
  if (auto array = mlir::dyn_cast<mlir::ArrayAttr>(attribute)) {
    AttributeList values;
    for (mlir::Attribute each : array) {
      ASSIGN_OR_RETURN(values.emplace_back(), attributeOf(each));
    }
    return plain(std::move(values));
  }
  if (auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(attribute)) {
    AttributeMap values;
    for (mlir::NamedAttribute each : dictionary) {
      ASSIGN_OR_RETURN(auto value, attributeOf(each.getValue()));
      values.emplace(each.getName().str(), std::move(value));
    }
    return plain(std::move(values));
  }
  if (auto keyword = keywordOf(attribute)) return plain(std::move(*keyword));
  if (auto fields = fieldsOf(attribute)) return plain(std::move(*fields));
  return plain(mlir::debugString(attribute));
}

}  // namespace vintage::golden
