#include "golden/dialects/stablehlo/stablehlo_attributes.h"

#include "golden/dialects/stablehlo/convolution_formats.h"
#include "golden/dialects/stablehlo/stablehlo_dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/stablehlo/StablehloEnums.cpp.inc"

namespace mlir::stablehlo {
namespace {

// The text of structures (StablehloAttrs.td): fields in any order, by their types.

ParseResult parseValue(AsmParser& parser, llvm::SmallVector<int64_t>& value) {
  return parseDimensionList(parser, value);
}
ParseResult parseValue(AsmParser& parser, int64_t& value) { return parser.parseInteger(value); }
ParseResult parseValue(AsmParser& parser, Type& value) { return parser.parseType(value); }
ParseResult parseValue(AsmParser& parser, llvm::APFloat& value) {
  double number = 0;
  if (parser.parseFloat(number)) return failure();
  value = llvm::APFloat(number);
  return success();
}
ParseResult parseValue(AsmParser& parser, ResultAccuracyModeAttr& value) {
  return parser.parseCustomAttributeWithFallback(value);
}
// A name in quotes. Its StringAttr has no type, whatever follows.
ParseResult parseValue(AsmParser& parser, StringAttr& value) {
  std::string text;
  if (parser.parseString(&text)) return failure();
  value = StringAttr::get(parser.getContext(), text);
  return success();
}
ParseResult parseValue(AsmParser& parser, DenseIntElementsAttr& value) {
  return parser.parseAttribute(value);
}
ParseResult parseValue(AsmParser& parser, SubAxisInfoAttr& value) {
  value = llvm::cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, Type()));
  return success(value != nullptr);
}
ParseResult parseValue(AsmParser& parser, Attribute& mesh) {
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseAttribute(mesh)) return failure();
  if (isa<FlatSymbolRefAttr, MeshAttr>(mesh)) return success();
  return parser.emitError(location, "expected a symbol (@mesh) or a #stablehlo.mesh");
}
ParseResult parseValue(AsmParser& parser, bool& value) {
  value = succeeded(parser.parseOptionalKeyword("true"));
  return value ? ParseResult(success())
               : parser.parseKeyword("false", ": expected true or false");
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

void printValue(AsmPrinter& printer, llvm::ArrayRef<int64_t> value) {
  printDimensionList(printer, value);
}
void printValue(AsmPrinter& printer, int64_t value) { printer << value; }
void printValue(AsmPrinter& printer, Type value) { printer << value; }
void printValue(AsmPrinter& printer, const llvm::APFloat& value) { printer.printFloat(value); }
void printValue(AsmPrinter& printer, Attribute value) { printer << value; }
void printValue(AsmPrinter& printer, SubAxisInfoAttr value) { value.print(printer); }
void printValue(AsmPrinter& printer, bool value) { printer << (value ? "true" : "false"); }

bool isEmpty(llvm::ArrayRef<int64_t> value) { return value.empty(); }
bool isEmpty(int64_t value) { return value == 0; }
bool isEmpty(const llvm::APFloat& value) { return value.isZero(); }
bool isEmpty(Attribute value) { return !value; }

template <typename T, typename... Others>
constexpr bool kIsAmong = (std::is_same_v<T, Others> || ...);

// An algorithm, an alias and an axis say all of themselves, an accuracy its mode, and meshes what
// they are made of; the others leave out what is empty or 0.
template <typename T, typename Value>
constexpr bool kIsRequired =
    kIsAmong<T, DotAlgorithmAttr, MeshAxisAttr, OutputOperandAliasAttr> ||
    kIsAmong<Value, ResultAccuracyModeAttr, StringAttr, ArrayAttr, Attribute>;

template <typename T>
Attribute parseStructure(AsmParser& parser) {
  typename T::Fields values;
  llvm::SmallVector<AttributeField> fields;
  values.visit([&]<typename Value>(const char* name, Value& value) {
    const auto parse = [&] {
      using Element = std::conditional_t<std::is_same_v<T, MeshAttr>, MeshAxisAttr, AxisRefAttr>;
      if constexpr (std::is_same_v<Value, ArrayAttr>) return parseArray<Element>(parser, value);
      else return parseValue(parser, value);
    };
    fields.push_back({name, parse, kIsRequired<T, Value>});
  });
  if (parseAttributeFields(parser, fields)) return {};
  return T::fromFields(parser.getContext(), values);
}

template <typename T>
void printStructure(AsmPrinter& printer, T structure) {
  const char* separator = "<";
  structure.visitFields([&]<typename Value>(const char* name, const Value& value) {
    if constexpr (!kIsRequired<T, Value>)
      if (isEmpty(value)) return;
    printer << std::exchange(separator, ", ") << name << " = ";
    printValue(printer, value);
  });
  printer << (*separator == '<' ? "<>" : ">");
}

}  // namespace
}  // namespace mlir::stablehlo

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "golden/dialects/stablehlo/StablehloTypes.cpp.inc"

namespace mlir::stablehlo {
namespace {

ParseResult parseField(AsmParser& parser, llvm::ArrayRef<AttributeField> fields,
                       llvm::SmallVectorImpl<bool>& seen) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef name;
  if (parser.parseKeyword(&name)) return failure();
  auto field = llvm::find_if(fields, [&](const AttributeField& f) { return f.name == name; });
  if (field == fields.end()) {
    auto error = parser.emitError(location) << "unknown field '" << name << "', expected one of ";
    llvm::interleaveComma(fields, error, [&](const AttributeField& f) { error << f.name; });
    return error;
  }
  size_t index = field - fields.begin();
  if (seen[index]) return parser.emitError(location) << "field '" << name << "' is given twice";
  seen[index] = true;
  if (parser.parseEqual()) return failure();
  return field->parseValue();
}

// A bound, `?` where a dimension has none.
ParseResult parseBound(AsmParser& parser, llvm::SmallVectorImpl<int64_t>& bounds) {
  if (succeeded(parser.parseOptionalQuestion())) {
    bounds.push_back(ShapedType::kDynamic);
    return success();
  }
  return parser.parseInteger(bounds.emplace_back());
}

// `<bounds = [16, ?]>`, as texts from before 1.10 spell #stablehlo.bounds<16, ?>.
Attribute parseTypeExtensions(AsmParser& parser) {
  llvm::SmallVector<int64_t> bounds;
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
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::StringRef keyword;
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
  llvm::SmallVector<int64_t> bounds;
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
    llvm::ArrayRef<int64_t> shape, Type,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  llvm::ArrayRef<int64_t> bounds = getBounds();
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

ParseResult parseAttributeFields(AsmParser& parser, llvm::ArrayRef<AttributeField> fields) {
  llvm::SmallVector<bool> seen(fields.size(), false);
  llvm::SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseField(parser, fields, seen); }))
    return failure();
  for (auto [field, given] : llvm::zip_equal(fields, seen))
    if (field.required && !given)
      return parser.emitError(location) << "field '" << field.name << "' is missing";
  return success();
}

ParseResult parseDimensionList(AsmParser& parser, llvm::SmallVectorImpl<int64_t>& dimensions) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    return parser.parseInteger(dimensions.emplace_back());
  });
}

void printDimensionList(AsmPrinter& printer, llvm::ArrayRef<int64_t> dimensions) {
  printer << '[';
  llvm::interleaveComma(dimensions, printer);
  printer << ']';
}

}  // namespace mlir::stablehlo
