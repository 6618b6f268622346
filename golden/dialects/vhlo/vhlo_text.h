// Pieces of VHLO's text form that ODS formats name as custom<…>.
#pragma once

#include <string>

#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/DialectImplementation.h"

namespace mlir::vhlo {

// 2x?x3x
inline ParseResult parseDimensions(AsmParser& parser, SmallVector<int64_t>& dimensions) {
  return parser.parseDimensionList(dimensions);
}
inline void printDimensions(AsmPrinter& printer, ArrayRef<int64_t> dimensions) {
  for (int64_t dimension : dimensions) {
    if (dimension == ShapedType::kDynamic)
      printer << "?x";
    else
      printer << dimension << 'x';
  }
}

inline ParseResult parseTypeList(AsmParser& parser, SmallVector<Type>& types) {
  if (succeeded(parser.parseOptionalLParen())) return parser.parseRParen();
  return parser.parseTypeList(types);
}
inline void printTypeList(AsmPrinter& printer, ArrayRef<Type> types) {
  if (types.empty()) printer << "()";
  llvm::interleaveComma(types, printer.getStream(), [&](Type type) { printer << type; });
}

inline ParseResult parseFunctionSignature(AsmParser& parser, SmallVector<Type>& inputs,
                                          SmallVector<Type>& outputs) {
  auto list = [&](SmallVector<Type>& types) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                          [&] { return parser.parseType(types.emplace_back()); });
  };
  return failure(list(inputs) || parser.parseArrow() || list(outputs));
}
inline void printFunctionSignature(AsmPrinter& printer, ArrayRef<Type> inputs,
                                   ArrayRef<Type> outputs) {
  auto list = [&](ArrayRef<Type> types) {
    printer << '(';
    llvm::interleaveComma(types, printer.getStream(), [&](Type type) { printer << type; });
    printer << ')';
  };
  list(inputs);
  printer << " -> ";
  list(outputs);
}

inline ParseResult parseAttributeList(AsmParser& parser, SmallVector<Attribute>& attributes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseAttribute(attributes.emplace_back());
  });
}
inline void printAttributeList(AsmPrinter& printer, ArrayRef<Attribute> attributes) {
  printer << '[';
  llvm::interleaveComma(attributes, printer.getStream(),
                        [&](Attribute attribute) { printer << attribute; });
  printer << ']';
}

inline ParseResult parseAttributePairs(AsmParser& parser,
                                       SmallVector<std::pair<Attribute, Attribute>>& pairs) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    auto& pair = pairs.emplace_back();
    return failure(parser.parseAttribute(pair.first) || parser.parseEqual() ||
                   parser.parseAttribute(pair.second));
  });
}
inline void printAttributePairs(AsmPrinter& printer,
                                ArrayRef<std::pair<Attribute, Attribute>> pairs) {
  printer << '{';
  llvm::interleaveComma(pairs, printer.getStream(), [&](const auto& pair) {
    printer << pair.first << " = " << pair.second;
  });
  printer << '}';
}

inline ParseResult parseIntegers(AsmParser& parser, SmallVector<int64_t>& integers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(integers.emplace_back());
  });
}
inline void printIntegers(AsmPrinter& printer, ArrayRef<int64_t> integers) {
  printer << '[';
  llvm::interleaveComma(integers, printer.getStream());
  printer << ']';
}

inline ParseResult parseDouble(AsmParser& parser, llvm::APFloat& value) {
  double number = 0;
  if (failed(parser.parseFloat(number))) return failure();
  value = llvm::APFloat(number);
  return success();
}
inline ParseResult parseDouble(AsmParser& parser, FailureOr<llvm::APFloat>& value) {
  double number = 0;
  if (failed(parser.parseFloat(number))) return failure();
  value = llvm::APFloat(number);
  return success();
}
inline void printDouble(AsmPrinter& printer, const llvm::APFloat& value) {
  printer.printFloat(value);
}

inline ParseResult parseDoubles(AsmParser& parser, SmallVector<llvm::APFloat>& values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseDouble(parser, values.emplace_back(0.0));
  });
}
inline void printDoubles(AsmPrinter& printer, ArrayRef<llvm::APFloat> values) {
  printer << '[';
  llvm::interleaveComma(values, printer.getStream(),
                        [&](const llvm::APFloat& value) { printer.printFloat(value); });
  printer << ']';
}

inline ParseResult parseQuotedString(AsmParser& parser, FailureOr<std::string>& value) {
  std::string text;
  if (failed(parser.parseString(&text))) return failure();
  value = std::move(text);
  return success();
}
inline ParseResult parseQuotedString(AsmParser& parser, std::string& value) {
  return parser.parseString(&value);
}
inline void printQuotedString(AsmPrinter& printer, StringRef value) {
  printer.printString(value);
}

// "0x3F80…"
inline ParseResult parseHexBytes(AsmParser& parser, SmallVector<char>& bytes) {
  std::string text, decoded;
  const SMLoc place = parser.getCurrentLocation();
  if (failed(parser.parseString(&text))) return failure();
  if (!llvm::tryGetFromHex(text, decoded))
    return parser.emitError(place, "expected an even number of hexadecimal digits");
  bytes.assign(decoded.begin(), decoded.end());
  return success();
}
inline void printHexBytes(AsmPrinter& printer, ArrayRef<char> bytes) {
  printer.printString(llvm::toHex(StringRef(bytes.data(), bytes.size())));
}

// The bits of a float or integer, and its type: 0x3F800000 : !vhlo.f32_v1.
ParseResult parseTypedFloat(AsmParser& parser, FailureOr<llvm::APFloat>& value, Type& type);
void printTypedFloat(AsmPrinter& printer, const llvm::APFloat& value, Type type);
ParseResult parseTypedInteger(AsmParser& parser, llvm::APInt& value, Type& type);
void printTypedInteger(AsmPrinter& printer, const llvm::APInt& value, Type type);

}  // namespace mlir::vhlo
