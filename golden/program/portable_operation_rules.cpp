#include <fmt/format.h>

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/dialects/vhlo/vhlo_versions.h"
#include "golden/program/portable_attributes.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OperationSupport.h"

namespace vintage::golden {
using namespace mlir;

namespace {

using mlir::Attribute;

// Attributes that StableHLO has in one piece and VHLO in parts: dimension numbers,
// algorithms, channels.
struct PortableStructure {
  StringRef attribute;  // StableHLO's name.
  StringRef keyword;
  SmallVector<StringRef, 10> parts;  // VHLO's names.
};

// Parts in and out, by the type of the field that they are of.
class Parts {
 public:
  Parts(PortableAttributes& translator, const NamedAttrList& portable)
      : translator_(translator), portable_(portable) {}

  bool read(StringRef name, int64_t& value) const {
    return take(PortableAttributes::integerOf(portable_.get(name)), value);
  }
  bool read(StringRef name, SmallVector<int64_t>& value) const {
    return take(translator_.integersOf(portable_.get(name)), value);
  }
  bool read(StringRef name, Type& value) const {
    auto type = dyn_cast_or_null<TypeAttr>(
        translator_.fromPortable(portable_.get(name), AttributeForm::kGeneric));
    if (type) value = type.getValue();
    return static_cast<bool>(type);
  }
  bool read(StringRef name, bool& value) const {
    auto boolean = dyn_cast_or_null<vhlo::BooleanV1Attr>(portable_.get(name));
    value = boolean && boolean.getValue();
    return static_cast<bool>(boolean);
  }

  Attribute write(int64_t value) const { return translator_.integer(value); }
  Attribute write(ArrayRef<int64_t> values) const { return translator_.integers(values); }
  Attribute write(Type type) const { return translator_.toPortable(TypeAttr::get(type)); }
  Attribute write(bool value) const {
    return vhlo::BooleanV1Attr::get(translator_.context(), value);
  }

 private:
  template <typename T>
  static bool take(std::optional<T> from, T& to) {
    if (from) to = std::move(*from);
    return from.has_value();
  }

  PortableAttributes& translator_;
  const NamedAttrList& portable_;
};

// A convolution's text has a place for each dimension up to the last; as many as
// the parser accepts.
bool hasPlace(int64_t dimension) { return dimension >= 0 && dimension < int64_t{1} << 20; }
bool hasPlace(ArrayRef<int64_t> dimensions) {
  return llvm::all_of(dimensions, [](int64_t d) { return hasPlace(d); });
}

template <typename T>
Attribute readFields(const Parts& parts, MLIRContext* context) {
  typename T::Fields fields;
  bool ok = true;
  fields.visit([&](const char* name, auto& value) {
    ok = ok && parts.read(name, value);
    if constexpr (std::is_same_v<T, stablehlo::ConvDimensionNumbersAttr>)
      ok = ok && hasPlace(value);
  });
  return ok ? T::fromFields(context, fields) : Attribute();
}

template <typename T>
bool writeFields(Attribute whole, const Parts& parts, NamedAttrList& portable) {
  auto structure = dyn_cast<T>(whole);
  if (!structure) return false;
  structure.visitFields(
      [&](const char* name, auto value) { portable.set(name, parts.write(value)); });
  return true;
}

// Calls with the class of that keyword; channels, whose parts have other names, are apart.
template <typename Visitor>
auto withClass(StringRef keyword, Visitor visit) {
  decltype(visit(stablehlo::ConvDimensionNumbersAttr())) result{};
  const auto tryOne = [&]<typename T>(T each) {
    if (keyword == T::getMnemonic()) result = visit(each);
  };
  tryOne(stablehlo::ConvDimensionNumbersAttr());
  tryOne(stablehlo::DotAlgorithmAttr());
  tryOne(stablehlo::DotDimensionNumbersAttr());
  tryOne(stablehlo::GatherDimensionNumbersAttr());
  tryOne(stablehlo::ScatterDimensionNumbersAttr());
  return result;
}

// Those of an operation, by its name without dialect and version.
SmallVector<PortableStructure, 2> structuresOf(StringRef operation) {
  SmallVector<PortableStructure, 2> structures;
  for (const PortableAttributeFacts& facts : portableAttributes(operation)) {
    if (facts.structure.empty()) continue;
    auto found = llvm::find_if(structures, [&](const PortableStructure& structure) {
      return structure.attribute == StringRef(facts.whole);
    });
    if (found == structures.end())
      structures.push_back({facts.whole, facts.structure, {facts.attribute}});
    else
      found->parts.push_back(facts.attribute);
  }
  return structures;
}

// The structure from its parts; null where one is missing or is not what it should be.
Attribute readStructure(const PortableStructure& structure, PortableAttributes& translator,
                        const NamedAttrList& portable) {
  const Parts parts(translator, portable);
  MLIRContext* context = translator.context();
  if (structure.keyword != stablehlo::ChannelHandleAttr::getMnemonic())
    return withClass(structure.keyword,
                     [&]<typename T>(T) { return readFields<T>(parts, context); });
  // Collective operations keep the number of the channel alone.
  int64_t handle = 0, type = 0;
  if (!parts.read("channel_id", handle) ||
      (structure.parts.size() > 1 && !parts.read("channel_type", type)))
    return {};
  return stablehlo::ChannelHandleAttr::get(context, handle, type);
}

// Adds its parts. False: `whole` is not of the class expected.
bool writeStructure(const PortableStructure& structure, Attribute whole,
                    PortableAttributes& translator, NamedAttrList& portable) {
  const Parts parts(translator, portable);
  if (structure.keyword != stablehlo::ChannelHandleAttr::getMnemonic())
    return withClass(structure.keyword,
                     [&]<typename T>(T) { return writeFields<T>(whole, parts, portable); });
  auto channel = dyn_cast<stablehlo::ChannelHandleAttr>(whole);
  if (!channel) return false;
  portable.set("channel_id", parts.write(channel.getHandle()));
  if (structure.parts.size() > 1) portable.set("channel_type", parts.write(channel.getType()));
  return true;
}

AttributeForm formOf(StringRef operation, StringRef attribute) {
  for (const PortableAttributeFacts& facts : portableAttributes(operation))
    if (attribute == StringRef(facts.attribute)) return facts.form;
  return AttributeForm::kGeneric;
}

// Operations of the func dialect have a portable form too.
constexpr StringLiteral kFunctionOperations[] = {"func", "call", "return"};

// Spatial dimensions of a convolution, or dimensions of a window.
std::optional<int64_t> windowRank(PortableAttributes& translator, const NamedAttrList& portable) {
  for (const char* name : {"input_spatial_dimensions", "window_dimensions"})
    if (auto values = translator.integersOf(portable.get(name))) return values->size();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> portableOperationName(OperationName name) {
  StringRef full = name.getStringRef();
  const bool ofFunction = full.consume_front("func.");
  if (ofFunction ? !llvm::is_contained(kFunctionOperations, full)
                 : !full.consume_front("stablehlo."))
    return std::nullopt;
  std::string current = vhlo::currentOperation(full);
  if (!RegisteredOperationName::lookup("vhlo." + current, name.getContext())) return std::nullopt;
  return current;
}

StringRef unversionedName(StringRef portableName) {
  portableName.consume_front("vhlo.");
  const auto [name, version] = portableName.rsplit("_v");
  int number = 0;
  return version.getAsInteger(10, number) ? StringRef() : name;
}

std::string workingOperationName(StringRef unversioned, bool returnsFromFunction) {
  const bool ofFunction = unversioned == "return"
                              ? returnsFromFunction
                              : llvm::is_contained(kFunctionOperations, unversioned);
  return ((ofFunction ? "func." : "stablehlo.") + unversioned).str();
}

bool callsTypedInterface(const NamedAttrList& portable) {
  auto version = dyn_cast_or_null<vhlo::CustomCallApiVersionV1Attr>(portable.get("api_version"));
  return version && version.getValue() == vhlo::CustomCallApiVersionV1::API_VERSION_TYPED_FFI;
}

Attribute portableDefault(std::string_view value, PortableAttributes& translator,
                          const NamedAttrList& portable) {
  if (value == "backend_config") value = callsTypedInterface(portable) ? "{}" : "\"\"";
  const bool ofWindow = value == "ones" || value == "zero padding" || value == "no reversal";
  if (!ofWindow) return translator.ofText(value);
  const std::optional<int64_t> rank = windowRank(translator, portable);
  if (!rank) return {};
  if (value == "ones") return translator.splat({*rank}, 1);
  if (value == "zero padding") return translator.splat({*rank, 2}, 0);
  return translator.toPortable(DenseBoolArrayAttr::get(
      translator.context(), SmallVector<bool>(static_cast<size_t>(*rank), false)));
}

bool saysDefault(Attribute attribute, Attribute value) {
  if (attribute == value) return true;
  auto number = dyn_cast<vhlo::IntegerV1Attr>(attribute);
  auto wanted = dyn_cast<vhlo::IntegerV1Attr>(value);
  if (number && wanted)
    return PortableAttributes::integerOf(number) == PortableAttributes::integerOf(wanted);
  auto list = dyn_cast<vhlo::ArrayV1Attr>(attribute);
  auto pattern = dyn_cast<vhlo::ArrayV1Attr>(value);
  if (list && pattern && !pattern.getValue().empty())
    return llvm::all_of(list.getValue(),
                        [&](Attribute each) { return each == pattern.getValue().front(); });
  return false;
}

bool attributesFromPortable(StringRef unversioned, PortableAttributes& translator,
                            const NamedAttrList& portable, NamedAttrList& working,
                            std::string& problem) {
  StringSet<> consumed;
  // Defaults are left out. A structure whose parts are all at their defaults is left out whole (a
  // channel, an algorithm).
  for (const PortableAttributeFacts& facts : portableAttributes(unversioned)) {
    Attribute value = portable.get(facts.attribute);
    Attribute expected = portableDefault(facts.value, translator, portable);
    if (value && expected && saysDefault(value, expected)) consumed.insert(facts.attribute);
  }
  // Layouts come for operands and results together.
  if (consumed.contains("operand_layouts") != consumed.contains("result_layouts")) {
    consumed.erase("operand_layouts");
    consumed.erase("result_layouts");
  }
  for (const PortableStructure& structure : structuresOf(unversioned)) {
    if (llvm::all_of(structure.parts, [&](StringRef part) { return consumed.contains(part); }))
      continue;
    for (StringRef part : structure.parts) consumed.insert(part);
    Attribute whole = readStructure(structure, translator, portable);
    if (!whole) {
      problem = fmt::format("the parts of its {} are missing or malformed", structure.attribute);
      return false;
    }
    working.set(structure.attribute, whole);
  }
  for (NamedAttribute attribute : portable) {
    const StringRef name = attribute.getName().getValue();
    if (consumed.contains(name)) continue;
    const AttributeForm form = formOf(unversioned, name);
    Attribute value = translator.fromPortable(attribute.getValue(), form);
    if (!value && form == AttributeForm::kFlag && isa<vhlo::BooleanV1Attr>(attribute.getValue()))
      continue;
    // A discardable attribute may bear the name of an operation's own.
    if (!value && form != AttributeForm::kGeneric)
      value = translator.fromPortable(attribute.getValue(), AttributeForm::kGeneric);
    if (!value) {
      problem = fmt::format("its attribute {} is malformed", name.str());
      return false;
    }
    working.set(name, value);
  }
  return true;
}

bool attributesToPortable(StringRef unversioned, PortableAttributes& translator,
                          const NamedAttrList& working, NamedAttrList& portable,
                          std::string& problem) {
  const auto structures = structuresOf(unversioned);
  for (NamedAttribute attribute : working) {
    const StringRef name = attribute.getName().getValue();
    if (llvm::any_of(structures, [&](const PortableStructure& structure) {
          return name == structure.attribute &&
                 writeStructure(structure, attribute.getValue(), translator, portable);
        }))
      continue;
    Attribute value;
    if (formOf(unversioned, name) == AttributeForm::kFlag && isa<UnitAttr>(attribute.getValue()))
      value = vhlo::BooleanV1Attr::get(translator.context(), true);
    else if (unversioned == "custom_call" && name == "api_version")
      value = translator.apiVersion(attribute.getValue());
    else
      value = translator.toPortable(attribute.getValue());
    if (!value) {
      problem = fmt::format("its attribute {} has no portable form", name.str());
      return false;
    }
    portable.set(name, value);
  }
  for (const PortableAttributeFacts& facts : portableAttributes(unversioned))
    if (!portable.get(facts.attribute))
      if (Attribute value = portableDefault(facts.value, translator, portable))
        portable.set(facts.attribute, value);
  return true;
}

}  // namespace vintage::golden
