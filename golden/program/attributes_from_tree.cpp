// Attributes of MLIR from those of a tree: the inverse of tree_attributes.cpp.
//
// Attributes of a tree do not say their class where an operation's attribute has one class
// only: the names below do. The text of an attribute is parsed where nothing else says its value.
// Shardings are closed, as JAX writes them.
#include <utility>

#include "golden/dialects/sdy/sdy_dialect.h"
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/program/tree_types.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"

namespace vintage::golden {
using namespace mlir;

namespace {

namespace shlo = stablehlo;
using Context = MLIRContext*;

// Each is null where the tree's attribute is not of its kind.
mlir::Attribute plainAttribute(Context context, const Attribute& attribute);

const AttributeList* listOf(const Attribute& attribute) {
  return std::get_if<AttributeList>(&attribute.value);
}

const Attribute* fieldOf(const Attribute& attribute, std::string_view name) {
  const auto* fields = std::get_if<AttributeMap>(&attribute.value);
  if (!fields) return nullptr;
  const auto found = fields->find(name);
  return found == fields->end() ? nullptr : &found->second;
}

Type typeOf(Context context, ElementType type) { return parseType(stablehloName(type), context); }

mlir::Attribute symbol(Context context, const Attribute& attribute) {
  const auto* name = std::get_if<std::string>(&attribute.value);
  return name ? FlatSymbolRefAttr::get(context, *name) : mlir::Attribute();
}

mlir::Attribute text(Context context, const Attribute& attribute) {
  const auto* text = std::get_if<std::string>(&attribute.value);
  return text ? parseAttribute(*text, context) : mlir::Attribute();
}

template <typename T>
mlir::Attribute keyword(Context context, const Attribute& attribute) {
  const auto* word = std::get_if<std::string>(&attribute.value);
  if (!word) return {};
  const auto found = shlo::symbolizeEnum<decltype(std::declval<T>().getValue())>(*word);
  return found ? T::get(context, *found) : T();
}

template <mlir::Attribute (*kOne)(Context, const Attribute&)>
mlir::Attribute each(Context context, const Attribute& attribute) {
  const AttributeList* list = listOf(attribute);
  if (!list) return {};
  SmallVector<mlir::Attribute> all;
  for (const Attribute& element : *list) {
    all.push_back(kOne(context, element));
    if (!all.back()) return {};
  }
  return ArrayAttr::get(context, all);
}

// Fields of structures.
template <typename T>
  requires std::is_same_v<T, int64_t> || std::is_same_v<T, bool> || std::is_same_v<T, std::string>
bool read(Context, const Attribute& from, T& to) {
  const T* value = std::get_if<T>(&from.value);
  if (value) to = *value;
  return value;
}
bool read(Context, const Attribute& from, SmallVector<int64_t>& to) {
  const auto* numbers = std::get_if<std::vector<int64_t>>(&from.value);
  if (numbers) to.assign(numbers->begin(), numbers->end());
  return numbers;
}
bool read(Context, const Attribute& from, sdy::ReductionOp& to) {
  const auto* number = std::get_if<int64_t>(&from.value);
  const auto known = number && *number >= 0
                         ? sdy::symbolizeReductionOp(static_cast<uint64_t>(*number))
                         : std::nullopt;
  if (known) to = *known;
  return known.has_value();
}
bool read(Context context, const Attribute& from, Type& to) {
  const auto* name = std::get_if<std::string>(&from.value);
  if (name) to = parseType(*name, context);
  return static_cast<bool>(to);
}
// A mesh, by its name.
bool read(Context context, const Attribute& from, mlir::Attribute& to) {
  to = symbol(context, from);
  return static_cast<bool>(to);
}
bool read(Context context, const Attribute& from, StringAttr& to) {
  to = dyn_cast_or_null<StringAttr>(plainAttribute(context, from));
  return static_cast<bool>(to);
}
template <typename T>
bool read(Context context, const Attribute& from, T& to);
template <typename T>
bool read(Context context, const Attribute& from, SmallVector<T>& to) {
  const AttributeList* list = listOf(from);
  return list && llvm::all_of(*list, [&](const Attribute& element) {
           return read(context, element, to.emplace_back());
         });
}

// Fields that a tree may lack, or never has.
constexpr std::string_view kOptionalFields[] = {"device_ids",      "is_closed",      "priority",
                                                "replicated_axes", "unreduced_axes", "reduction_op",
                                                "sub_axis_info"};

template <typename T>
mlir::Attribute structure(Context context, const Attribute& attribute) {
  typename T::Fields fields;
  if constexpr (std::is_same_v<T, sdy::DimensionShardingAttr>) fields.is_closed = true;
  bool isWhole = true;
  fields.visit([&](const char* name, auto& value) {
    const Attribute* field = fieldOf(attribute, name);
    isWhole = isWhole && (field ? read(context, *field, value)
                                : llvm::is_contained(kOptionalFields, std::string_view(name)));
  });
  return isWhole ? T::fromFields(context, fields) : T();
}

// A structure within another. No tree has the other fields.
template <typename T>
bool read(Context context, const Attribute& from, T& to) {
  if constexpr (requires { typename T::Fields; }) {
    to = dyn_cast_or_null<T>(structure<T>(context, from));
    return static_cast<bool>(to);
  }
  return false;
}

mlir::Attribute dimensionNumbers(Context context, const Attribute& attribute) {
  return fieldOf(attribute, "offset_dims")
             ? structure<shlo::GatherDimensionNumbersAttr>(context, attribute)
             : structure<shlo::ConvDimensionNumbersAttr>(context, attribute);
}

// Numbers of dimensions, which are of MLIR's index type there alone.
mlir::Attribute layout(Context context, const Attribute& attribute) {
  const auto* order = std::get_if<std::vector<int64_t>>(&attribute.value);
  if (!order) return {};
  const auto type =
      RankedTensorType::get({static_cast<int64_t>(order->size())}, IndexType::get(context));
  return DenseIntElementsAttr::get(type, ArrayRef<int64_t>(*order));
}

struct NamedClass {
  StringLiteral name;
  mlir::Attribute (*of)(Context, const Attribute&);
};

// Of operations, arguments and results.
constexpr NamedClass kNamedClasses[] = {
    {"algorithm", structure<shlo::DotAlgorithmAttr>},
    {"callee", symbol},
    {"called_computations", each<symbol>},
    {"channel_handle", structure<shlo::ChannelHandleAttr>},
    {"compare_type", keyword<shlo::ComparisonTypeAttr>},
    {"comparison_direction", keyword<shlo::ComparisonDirectionAttr>},
    {"decomposition", symbol},
    {"dimension_numbers", dimensionNumbers},
    {"dot_dimension_numbers", structure<shlo::DotDimensionNumbersAttr>},
    {"fft_type", keyword<shlo::FftTypeAttr>},
    {"in_shardings", structure<sdy::TensorShardingPerValueAttr>},
    {"manual_axes", structure<sdy::ManualAxesAttr>},
    {"mesh", structure<sdy::MeshAttr>},
    {"operand_layouts", each<layout>},
    {"out_shardings", structure<sdy::TensorShardingPerValueAttr>},
    {"output_operand_aliases", each<structure<shlo::OutputOperandAliasAttr>>},
    {"precision_config", each<keyword<shlo::PrecisionAttr>>},
    {"result_layouts", each<layout>},
    {"rng_algorithm", keyword<shlo::RngAlgorithmAttr>},
    {"rng_distribution", keyword<shlo::RngDistributionAttr>},
    {"scatter_dimension_numbers", structure<shlo::ScatterDimensionNumbersAttr>},
    {"sdy.sharding", structure<sdy::TensorShardingAttr>},
    {"sdy.sharding_rule", text},
    {"transpose_a", keyword<shlo::TransposeAttr>},
};

mlir::Attribute elementsOf(Context context, const Tensor& tensor) {
  const auto type = RankedTensorType::get(tensor.shape(), typeOf(context, tensor.type()));
  if (isPredicate(tensor.type())) {
    SmallVector<bool> values;
    for (const uint8_t value : tensor.values<uint8_t>()) values.push_back(value != 0);
    return DenseElementsAttr::get(type, ArrayRef<bool>(values));
  }
  const std::span<const std::byte> bytes = tensor.bytes();
  if (bitWidth(tensor.type()) < 8 && !isFloat(tensor.type())) {
    SmallVector<APInt> values;
    for (const std::byte value : bytes)
      values.emplace_back(bitWidth(tensor.type()), std::to_integer<uint64_t>(value), false, true);
    return DenseElementsAttr::get(type, values);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// By the rules of module_tree.h, read backwards.
struct PlainAttribute {
  Context context;
  std::optional<ElementType> type;

  using Result = mlir::Attribute;
  Result operator()(std::monostate) const { return {}; }
  Result operator()(bool flag) const {
    if (type) return BoolAttr::get(context, flag);
    return UnitAttr::get(context);
  }
  Result operator()(int64_t number) const {
    const Type own = typeOf(context, type.value_or(ElementType::kI64));
    if (!own.isInteger()) return {};
    return IntegerAttr::get(
        own, APInt(own.getIntOrFloatBitWidth(), static_cast<uint64_t>(number), false, true));
  }
  Result operator()(double number) const {
    const Type own = typeOf(context, type.value_or(ElementType::kF64));
    return isa<FloatType>(own) ? FloatAttr::get(own, number) : Result();
  }
  Result operator()(const std::string& text) const { return StringAttr::get(context, text); }
  Result operator()(const std::vector<int64_t>& numbers) const {
    if (!type) return DenseI64ArrayAttr::get(context, numbers);
    const auto vector = RankedTensorType::get({static_cast<int64_t>(numbers.size())},
                                              IntegerType::get(context, 64));
    return DenseElementsAttr::get(vector, ArrayRef<int64_t>(numbers));
  }
  Result operator()(const std::vector<bool>& flags) const {
    const SmallVector<bool> values(flags.begin(), flags.end());
    if (!type) return DenseBoolArrayAttr::get(context, values);
    const auto vector =
        RankedTensorType::get({static_cast<int64_t>(flags.size())}, IntegerType::get(context, 1));
    return DenseElementsAttr::get(vector, ArrayRef<bool>(values));
  }
  Result operator()(const Tensor& tensor) const { return elementsOf(context, tensor); }
  Result operator()(const AttributeList& list) const {
    return each<plainAttribute>(context, Attribute(list));
  }
  Result operator()(const AttributeMap& fields) const {
    NamedAttrList all;
    for (const auto& [name, field] : fields) {
      const mlir::Attribute value = plainAttribute(context, field);
      if (!value) return {};
      all.append(name, value);
    }
    return all.getDictionary(context);
  }
};

mlir::Attribute plainAttribute(Context context, const Attribute& attribute) {
  return std::visit(PlainAttribute{context, attribute.type}, attribute.value);
}

}  // namespace

mlir::Attribute attributeFromTree(MLIRContext* context, std::string_view name,
                                  const Attribute& attribute) {
  const auto* named = llvm::find_if(
      kNamedClasses, [&](const NamedClass& each) { return each.name == StringRef(name); });
  return named == std::end(kNamedClasses) ? plainAttribute(context, attribute)
                                          : named->of(context, attribute);
}

}  // namespace vintage::golden
