// The text of structured attributes (StablehloAttrs.td), `<name = value, name = value>`.
#pragma once

#include <functional>

#include "golden/dialects/stablehlo/stablehlo_attributes.h"

namespace mlir::stablehlo {

// A field of `<name = value, name = value>`, the text of most structured attributes. Names come in
// any order.
struct AttributeField {
  StringRef name;
  std::function<ParseResult()> parseValue;
  bool required = false;
};

inline ParseResult parseField(AsmParser& parser, ArrayRef<AttributeField> fields,
                              SmallVectorImpl<bool>& seen) {
  SMLoc location = parser.getCurrentLocation();
  StringRef name;
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

// Fails at a name that is unknown or comes twice, and where a required one is missing.
inline ParseResult parseAttributeFields(AsmParser& parser, ArrayRef<AttributeField> fields) {
  SmallVector<bool> seen(fields.size(), false);
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseField(parser, fields, seen); }))
    return failure();
  for (auto [field, given] : llvm::zip_equal(fields, seen))
    if (field.required && !given)
      return parser.emitError(location) << "field '" << field.name << "' is missing";
  return success();
}

// Values of fields, by their types.
inline ParseResult parseValue(AsmParser& parser, SmallVector<int64_t>& value) {
  return parseDimensionList(parser, value);
}
inline ParseResult parseValue(AsmParser& parser, int64_t& value) {
  return parser.parseInteger(value);
}
inline ParseResult parseValue(AsmParser& parser, Type& value) { return parser.parseType(value); }
inline ParseResult parseValue(AsmParser& parser, APFloat& value) {
  double number = 0;
  if (parser.parseFloat(number)) return failure();
  value = APFloat(number);
  return success();
}
inline ParseResult parseValue(AsmParser& parser, ResultAccuracyModeAttr& value) {
  return parser.parseCustomAttributeWithFallback(value);
}
// A name in quotes. Its StringAttr has no type, whatever follows.
inline ParseResult parseValue(AsmParser& parser, StringAttr& value) {
  std::string text;
  if (parser.parseString(&text)) return failure();
  value = StringAttr::get(parser.getContext(), text);
  return success();
}
inline ParseResult parseValue(AsmParser& parser, DenseIntElementsAttr& value) {
  return parser.parseAttribute(value);
}
inline ParseResult parseValue(AsmParser& parser, SubAxisInfoAttr& value) {
  value = llvm::cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, Type()));
  return success(value != nullptr);
}
inline ParseResult parseValue(AsmParser& parser, Attribute& mesh) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseAttribute(mesh)) return failure();
  if (isa<FlatSymbolRefAttr, MeshAttr>(mesh)) return success();
  return parser.emitError(location, "expected a symbol (@mesh) or a #stablehlo.mesh");
}
inline ParseResult parseValue(AsmParser& parser, bool& value) {
  value = succeeded(parser.parseOptionalKeyword("true"));
  return value ? ParseResult(success()) : parser.parseKeyword("false", ": expected true or false");
}

// `[<…>, #stablehlo.keyword<…>]`: with the attribute's prefix or without.
template <typename Element>
ParseResult parseArray(AsmParser& parser, ArrayAttr& array) {
  SmallVector<Attribute> elements;
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

inline void printValue(AsmPrinter& printer, ArrayRef<int64_t> value) {
  printDimensionList(printer, value);
}
inline void printValue(AsmPrinter& printer, int64_t value) { printer << value; }
inline void printValue(AsmPrinter& printer, Type value) { printer << value; }
inline void printValue(AsmPrinter& printer, const APFloat& value) { printer.printFloat(value); }
inline void printValue(AsmPrinter& printer, Attribute value) { printer << value; }
inline void printValue(AsmPrinter& printer, SubAxisInfoAttr value) { value.print(printer); }
inline void printValue(AsmPrinter& printer, bool value) { printer << (value ? "true" : "false"); }

inline bool isEmpty(ArrayRef<int64_t> value) { return value.empty(); }
inline bool isEmpty(int64_t value) { return value == 0; }
inline bool isEmpty(const APFloat& value) { return value.isZero(); }
inline bool isEmpty(Attribute value) { return !value; }

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
  SmallVector<AttributeField> fields;
  values.visit([&]<typename Value>(const char* name, Value& value) {
    const auto parse = [&] {
      using Element = std::conditional_t<std::is_same_v<T, MeshAttr>, MeshAxisAttr, AxisRefAttr>;
      if constexpr (std::is_same_v<Value, ArrayAttr>)
        return parseArray<Element>(parser, value);
      else
        return parseValue(parser, value);
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

}  // namespace mlir::stablehlo
