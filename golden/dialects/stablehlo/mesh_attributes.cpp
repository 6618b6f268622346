// Text of the attributes that name replica groups by the axes of a mesh.
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::stablehlo {
namespace {

// A name in quotes. Its StringAttr has no type, whatever follows.
ParseResult parseName(AsmParser& parser, StringAttr& name) {
  std::string text;
  if (parser.parseString(&text)) return failure();
  name = StringAttr::get(parser.getContext(), text);
  return success();
}

// `[<…>, #stablehlo.keyword<…>]`: with the attribute's prefix or without.
template <typename Element>
ParseResult parseArray(AsmParser& parser, ArrayAttr& array) {
  llvm::SmallVector<Attribute> elements;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        Element element;
        if (parser.parseCustomAttributeWithFallback(element)) return failure();
        elements.push_back(element);
        return success();
      }))
    return failure();
  array = ArrayAttr::get(parser.getContext(), elements);
  return success();
}

}  // namespace

Attribute MeshAxisAttr::parse(AsmParser& parser, Type) {
  StringAttr name;
  int64_t size = 0;
  auto parseAxisName = [&] { return parseName(parser, name); };
  auto parseSize = [&]() -> ParseResult { return parser.parseInteger(size); };
  if (parseAttributeFields(parser, {{"name", parseAxisName, true}, {"size", parseSize, true}}))
    return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter& printer) const {
  printer << "<name = " << getName() << ", size = " << getSize() << '>';
}

Attribute MeshAttr::parse(AsmParser& parser, Type) {
  ArrayAttr axes;
  DenseIntElementsAttr deviceIds;
  auto parseAxes = [&] { return parseArray<MeshAxisAttr>(parser, axes); };
  auto parseDevices = [&]() -> ParseResult { return parser.parseAttribute(deviceIds); };
  if (parseAttributeFields(parser, {{"axes", parseAxes, true}, {"device_ids", parseDevices}}))
    return {};
  return get(parser.getContext(), axes, deviceIds);
}

void MeshAttr::print(AsmPrinter& printer) const {
  printer << "<axes = " << getAxes();
  if (getDeviceIds()) printer << ", device_ids = " << getDeviceIds();
  printer << '>';
}

// `(1)2`, without angle brackets.
Attribute SubAxisInfoAttr::parse(AsmParser& parser, Type) {
  int64_t preSize = 0, size = 0;
  if (parser.parseLParen() || parser.parseInteger(preSize) || parser.parseRParen() ||
      parser.parseInteger(size))
    return {};
  return get(parser.getContext(), preSize, size);
}

void SubAxisInfoAttr::print(AsmPrinter& printer) const {
  printer << '(' << getPreSize() << ')' << getSize();
}

Attribute AxisRefAttr::parse(AsmParser& parser, Type) {
  StringAttr name;
  SubAxisInfoAttr part;
  auto parseAxisName = [&] { return parseName(parser, name); };
  auto parsePart = [&]() -> ParseResult {
    part = llvm::cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, Type()));
    return success(part != nullptr);
  };
  if (parseAttributeFields(parser,
                           {{"name", parseAxisName, true}, {"sub_axis_info", parsePart}}))
    return {};
  return get(parser.getContext(), name, part);
}

void AxisRefAttr::print(AsmPrinter& printer) const {
  printer << "<name = " << getName();
  if (getSubAxisInfo()) {
    printer << ", sub_axis_info = ";
    getSubAxisInfo().print(printer);
  }
  printer << '>';
}

Attribute ReplicaGroupMeshAxesAttr::parse(AsmParser& parser, Type) {
  Attribute mesh;
  ArrayAttr axes;
  auto parseMesh = [&]() -> ParseResult {
    llvm::SMLoc location = parser.getCurrentLocation();
    if (parser.parseAttribute(mesh)) return failure();
    if (isa<FlatSymbolRefAttr, MeshAttr>(mesh)) return success();
    return parser.emitError(location, "expected a symbol (@mesh) or a #stablehlo.mesh");
  };
  auto parseAxes = [&] { return parseArray<AxisRefAttr>(parser, axes); };
  if (parseAttributeFields(parser, {{"mesh", parseMesh, true}, {"axes", parseAxes, true}}))
    return {};
  return get(parser.getContext(), mesh, axes);
}

void ReplicaGroupMeshAxesAttr::print(AsmPrinter& printer) const {
  printer << "<mesh = " << getMesh() << ", axes = " << getAxes() << '>';
}

}  // namespace mlir::stablehlo
