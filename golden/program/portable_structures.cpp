#include "golden/program/portable_structures.h"

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "golden/dialects/vhlo/vhlo_attributes.h"

namespace vintage::golden::program {
namespace {

namespace stablehlo = mlir::stablehlo;
namespace vhlo = mlir::vhlo;
using mlir::Attribute;

// Parts in and out, by the type of the field that they are of.
class Parts {
 public:
  Parts(PortableAttributes& translator, const mlir::NamedAttrList& portable)
      : translator_(translator), portable_(portable) {}

  bool read(llvm::StringRef name, int64_t& value) const {
    return take(PortableAttributes::integerOf(portable_.get(name)), value);
  }
  bool read(llvm::StringRef name, llvm::SmallVector<int64_t>& value) const {
    return take(translator_.integersOf(portable_.get(name)), value);
  }
  bool read(llvm::StringRef name, mlir::Type& value) const {
    auto type = mlir::dyn_cast_or_null<mlir::TypeAttr>(
        translator_.fromPortable(portable_.get(name), AttributeForm::kGeneric));
    if (type) value = type.getValue();
    return static_cast<bool>(type);
  }
  bool read(llvm::StringRef name, bool& value) const {
    auto boolean = mlir::dyn_cast_or_null<vhlo::BooleanV1Attr>(portable_.get(name));
    value = boolean && boolean.getValue();
    return static_cast<bool>(boolean);
  }

  Attribute write(int64_t value) const { return translator_.integer(value); }
  Attribute write(llvm::ArrayRef<int64_t> values) const { return translator_.integers(values); }
  Attribute write(mlir::Type type) const {
    return translator_.toPortable(mlir::TypeAttr::get(type));
  }
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
  const mlir::NamedAttrList& portable_;
};

// A convolution's text has a place for each dimension up to the last; as many as
// the parser accepts.
bool hasPlace(int64_t dimension) { return dimension >= 0 && dimension < int64_t{1} << 20; }
bool hasPlace(llvm::ArrayRef<int64_t> dimensions) {
  return llvm::all_of(dimensions, [](int64_t d) { return hasPlace(d); });
}

template <typename T>
Attribute readFields(const Parts& parts, mlir::MLIRContext* context) {
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
bool writeFields(Attribute whole, const Parts& parts, mlir::NamedAttrList& portable) {
  auto structure = mlir::dyn_cast<T>(whole);
  if (!structure) return false;
  structure.visitFields(
      [&](const char* name, auto value) { portable.set(name, parts.write(value)); });
  return true;
}

// Calls with the class of a kind; channels, whose parts have other names, are apart.
template <typename Visitor>
auto withClass(StructureKind kind, Visitor visit) {
  switch (kind) {
    case StructureKind::kDotDimensionNumbers:
      return visit(stablehlo::DotDimensionNumbersAttr());
    case StructureKind::kDotAlgorithm:
      return visit(stablehlo::DotAlgorithmAttr());
    case StructureKind::kGatherDimensionNumbers:
      return visit(stablehlo::GatherDimensionNumbersAttr());
    case StructureKind::kScatterDimensionNumbers:
      return visit(stablehlo::ScatterDimensionNumbersAttr());
    default:
      return visit(stablehlo::ConvDimensionNumbersAttr());
  }
}

}  // namespace

llvm::SmallVector<PortableStructure, 2> structuresOf(llvm::StringRef operation) {
  llvm::SmallVector<PortableStructure, 2> structures;
  for (const PortableAttributeFacts& facts : portableAttributes(operation)) {
    if (facts.structure == StructureKind::kNone) continue;
    auto found = llvm::find_if(structures, [&](const PortableStructure& structure) {
      return structure.attribute == llvm::StringRef(facts.whole);
    });
    if (found == structures.end())
      structures.push_back({facts.whole, facts.structure, {facts.attribute}});
    else
      found->parts.push_back(facts.attribute);
  }
  return structures;
}

Attribute readStructure(const PortableStructure& structure, PortableAttributes& translator,
                        const mlir::NamedAttrList& portable) {
  const Parts parts(translator, portable);
  mlir::MLIRContext* context = translator.context();
  if (structure.kind != StructureKind::kChannelHandle)
    return withClass(structure.kind,
                     [&]<typename T>(T) { return readFields<T>(parts, context); });
  // Collective operations keep the number of the channel alone.
  int64_t handle = 0, type = 0;
  if (!parts.read("channel_id", handle) ||
      (structure.parts.size() > 1 && !parts.read("channel_type", type)))
    return {};
  return stablehlo::ChannelHandleAttr::get(context, handle, type);
}

bool writeStructure(const PortableStructure& structure, Attribute whole,
                    PortableAttributes& translator, mlir::NamedAttrList& portable) {
  const Parts parts(translator, portable);
  if (structure.kind != StructureKind::kChannelHandle)
    return withClass(structure.kind,
                     [&]<typename T>(T) { return writeFields<T>(whole, parts, portable); });
  auto channel = mlir::dyn_cast<stablehlo::ChannelHandleAttr>(whole);
  if (!channel) return false;
  portable.set("channel_id", parts.write(channel.getHandle()));
  if (structure.parts.size() > 1) portable.set("channel_type", parts.write(channel.getType()));
  return true;
}

}  // namespace vintage::golden::program
