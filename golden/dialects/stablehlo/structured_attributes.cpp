// Text of #stablehlo.dot, .gather, .scatter, .dot_algorithm and .result_accuracy: fields
// in any order.
#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace mlir::stablehlo {
namespace {

ParseResult parseValue(AsmParser& parser, llvm::SmallVector<int64_t>& value) {
  FailureOr<llvm::SmallVector<int64_t>> parsed = parseDimensionList(parser);
  if (failed(parsed)) return failure();
  value = std::move(*parsed);
  return success();
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
ParseResult parseValue(AsmParser& parser, bool& value) {
  value = succeeded(parser.parseOptionalKeyword("true"));
  return value ? ParseResult(success())
               : parser.parseKeyword("false", ": expected true or false");
}

void printValue(AsmPrinter& printer, llvm::ArrayRef<int64_t> value) {
  printDimensionList(printer, value);
}
void printValue(AsmPrinter& printer, int64_t value) { printer << value; }
void printValue(AsmPrinter& printer, Type value) { printer << value; }
void printValue(AsmPrinter& printer, const llvm::APFloat& value) { printer.printFloat(value); }
void printValue(AsmPrinter& printer, ResultAccuracyModeAttr value) { printer << value; }
void printValue(AsmPrinter& printer, bool value) { printer << (value ? "true" : "false"); }

bool isEmpty(llvm::ArrayRef<int64_t> value) { return value.empty(); }
bool isEmpty(int64_t value) { return value == 0; }
bool isEmpty(const llvm::APFloat& value) { return value.isZero(); }

// An algorithm says all of itself, an accuracy its mode; the others leave out what is
// empty or 0.
template <typename T, typename Value>
constexpr bool kIsRequired =
    std::is_same_v<T, DotAlgorithmAttr> || std::is_same_v<Value, ResultAccuracyModeAttr>;

template <typename T>
Attribute parseStructure(AsmParser& parser) {
  typename T::Fields values;
  llvm::SmallVector<AttributeField> fields;
  values.visit([&]<typename Value>(const char* name, Value& value) {
    fields.push_back({name, [&] { return parseValue(parser, value); }, kIsRequired<T, Value>});
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

}  // namespace

Attribute DotDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  return parseStructure<DotDimensionNumbersAttr>(parser);
}
void DotDimensionNumbersAttr::print(AsmPrinter& printer) const { printStructure(printer, *this); }

Attribute GatherDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  return parseStructure<GatherDimensionNumbersAttr>(parser);
}
void GatherDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printStructure(printer, *this);
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  return parseStructure<ScatterDimensionNumbersAttr>(parser);
}
void ScatterDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printStructure(printer, *this);
}

Attribute DotAlgorithmAttr::parse(AsmParser& parser, Type) {
  return parseStructure<DotAlgorithmAttr>(parser);
}
void DotAlgorithmAttr::print(AsmPrinter& printer) const { printStructure(printer, *this); }

Attribute ResultAccuracyAttr::parse(AsmParser& parser, Type) {
  return parseStructure<ResultAccuracyAttr>(parser);
}
void ResultAccuracyAttr::print(AsmPrinter& printer) const { printStructure(printer, *this); }

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

}  // namespace mlir::stablehlo
