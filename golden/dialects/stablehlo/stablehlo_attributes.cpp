#include "golden/dialects/stablehlo/stablehlo_attributes.h"

#include "golden/dialects/stablehlo/convolution_formats.h"
#include "golden/dialects/stablehlo/stablehlo_dialect.h"
#include "golden/dialects/stablehlo/structure_text.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/stablehlo/StablehloEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloTypes.cpp.inc"

namespace mlir::stablehlo {
namespace {

// A bound, `?` where a dimension has none.
ParseResult parseBound(AsmParser& parser, SmallVectorImpl<int64_t>& bounds) {
  if (succeeded(parser.parseOptionalQuestion())) {
    bounds.push_back(ShapedType::kDynamic);
    return success();
  }
  return parser.parseInteger(bounds.emplace_back());
}

// `<bounds = [16, ?]>`, as texts from before 1.10 spell #stablehlo.bounds<16, ?>.
Attribute parseTypeExtensions(AsmParser& parser) {
  SmallVector<int64_t> bounds;
  auto parseBounds = [&]() -> ParseResult {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return parseBound(parser, bounds); });
  };
  if (parseAttributeFields(parser, {{"bounds", parseBounds, true}})) return {};
  return TypeExtensionsAttr::get(parser.getContext(), bounds);
}

}  // namespace

void StablehloDialect::addAttributes() {
  Dialect::addAttributes<
#define GET_ATTRDEF_LIST
#include "golden/dialects/stablehlo/StablehloAttrs.cpp.inc"
      >();
}

void StablehloDialect::addTypes() {
  Dialect::addTypes<
#define GET_TYPEDEF_LIST
#include "golden/dialects/stablehlo/StablehloTypes.cpp.inc"
      >();
}

Attribute StablehloDialect::parseAttribute(DialectAsmParser& parser, Type type) const {
  SMLoc location = parser.getCurrentLocation();
  StringRef keyword;
  Attribute attribute;
  OptionalParseResult result = generatedAttributeParser(parser, &keyword, type, attribute);
  if (result.has_value()) return attribute;
  if (keyword == "type_extensions") return parseTypeExtensions(parser);
  parser.emitError(location) << "unknown attribute `" << keyword << "` in dialect `stablehlo`";
  return {};
}

void StablehloDialect::printAttribute(Attribute attribute, DialectAsmPrinter& printer) const {
  (void)generatedAttributePrinter(attribute, printer);
}

Attribute TypeExtensionsAttr::parse(AsmParser& parser, Type) {
  SmallVector<int64_t> bounds;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseBound(parser, bounds); }))
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter& printer) const {
  printer << '<';
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << '?';
    else
      printer << bound;
  });
  printer << '>';
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type, function_ref<InFlightDiagnostic()> emitError) const {
  ArrayRef<int64_t> bounds = getBounds();
  if (bounds.size() != shape.size())
    return emitError() << "number of bounds is " << bounds.size() << ", but the tensor has rank "
                       << shape.size();
  for (auto [dimension, bound] : llvm::enumerate(bounds)) {
    if (ShapedType::isDynamic(bound)) continue;
    if (!ShapedType::isDynamic(shape[dimension]))
      return emitError() << "static dimension " << dimension << " (size " << shape[dimension]
                         << ") cannot have a bound, found " << bound << "; write ?";
    if (bound < 0)
      return emitError() << "bound of dimension " << dimension << " is negative: " << bound;
  }
  return success();
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  ConvDimensionNumbersAttr numbers;
  if (parser.parseLess() || parseConvolutionDimensions(parser, numbers) || parser.parseGreater())
    return {};
  return numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << '<';
  printConvolutionDimensions(printer, nullptr, *this);
  printer << '>';
}

ParseResult parseDimensionList(AsmParser& parser, SmallVectorImpl<int64_t>& dimensions) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    return parser.parseInteger(dimensions.emplace_back());
  });
}

void printDimensionList(AsmPrinter& printer, ArrayRef<int64_t> dimensions) {
  printer << '[';
  llvm::interleaveComma(dimensions, printer);
  printer << ']';
}

}  // namespace mlir::stablehlo
