// Custom directives of the formats (*_ops.td) that print and parse operands, attributes and
// regions. Texts are upstream's, its double spaces included.
#pragma once

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::stablehlo {

// `%a, %b, ` in front of a keyword.
inline void printOperandsBeforeAttribute(OpAsmPrinter& printer, Operation*, OperandRange operands) {
  if (operands.empty()) return;
  llvm::interleaveComma(operands, printer);
  printer << ',';
}

inline ParseResult parseOperandsBeforeAttribute(
    OpAsmParser& parser, SmallVectorImpl<OpAsmParser::UnresolvedOperand>& operands) {
  OpAsmParser::UnresolvedOperand operand;
  for (OptionalParseResult found = parser.parseOptionalOperand(operand); found.has_value();
       found = parser.parseOptionalOperand(operand)) {
    if (*found) return failure();
    operands.push_back(operand);
    if (parser.parseComma()) return failure();
  }
  return success();
}

// `[0, 1]`
inline void printDimensions(OpAsmPrinter& printer, Operation*, Attribute dimensions) {
  printDimensionList(printer, dimensionsOf(dimensions));
}

inline ParseResult parseDimensions(OpAsmParser& parser, Attribute& dimensions) {
  SmallVector<int64_t> list;
  if (parseDimensionList(parser, list)) return failure();
  dimensions = parser.getBuilder().getDenseI64ArrayAttr(list);
  return success();
}

// ` [0:2, 0:4:2]`: start, limit, and the stride where it is not 1.
inline void printSliceRanges(OpAsmPrinter& printer, Operation*, Attribute starts, Attribute limits,
                             Attribute strides) {
  auto start = dimensionsOf(starts), limit = dimensionsOf(limits), stride = dimensionsOf(strides);
  printer << '[';
  // Lists of different lengths are an error, but must still print.
  size_t count = std::max({start.size(), limit.size(), stride.size()});
  llvm::interleaveComma(llvm::seq<size_t>(0, count), printer, [&](size_t i) {
    if (i < start.size()) printer << start[i];
    printer << ':';
    if (i < limit.size()) printer << limit[i];
    if (i < stride.size() && stride[i] != 1) printer << ':' << stride[i];
  });
  printer << ']';
}

inline ParseResult parseSliceRanges(OpAsmParser& parser, Attribute& starts, Attribute& limits,
                                    Attribute& strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    stride.push_back(1);
    if (succeeded(parser.parseOptionalColon())) return parser.parseInteger(stride.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange)) return failure();
  Builder& builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}

// `e5m10`
inline void printExponentMantissa(OpAsmPrinter& printer, Operation*, IntegerAttr exponent,
                                  IntegerAttr mantissa) {
  printer << 'e' << exponent.getInt() << 'm' << mantissa.getInt();
}

inline ParseResult parseExponentMantissa(OpAsmParser& parser, IntegerAttr& exponent,
                                         IntegerAttr& mantissa) {
  SMLoc location = parser.getCurrentLocation();
  StringRef format;
  if (parser.parseKeyword(&format)) return failure();
  StringRef rest = format;
  int32_t exponentBits = 0, mantissaBits = 0;
  if (!rest.consume_front("e") || rest.consumeInteger(10, exponentBits) ||
      !rest.consume_front("m") || rest.consumeInteger(10, mantissaBits) || !rest.empty())
    return parser.emitError(location) << "expected a format like e5m10, found " << format;
  exponent = parser.getBuilder().getI32IntegerAttr(exponentBits);
  mantissa = parser.getBuilder().getI32IntegerAttr(mantissaBits);
  return success();
}

inline ParseResult parsePrecisionList(OpAsmParser& parser, ArrayAttr& precision) {
  SmallVector<Attribute> elements;
  auto parseElement = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword)) return failure();
    std::optional<Precision> value = symbolizePrecision(keyword);
    if (!value)
      return parser.emitError(location) << "expected DEFAULT, HIGH or HIGHEST, found " << keyword;
    elements.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseElement))
    return failure();
  precision = parser.getBuilder().getArrayAttr(elements);
  return success();
}

// `, precision = [HIGHEST, DEFAULT]`, or nothing where there is no attribute.
inline void printPrecision(OpAsmPrinter& printer, Operation*, ArrayAttr precision) {
  if (!precision) return;
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute element) {
    printer << stringifyPrecision(cast<PrecisionAttr>(element).getValue());
  });
  printer << ']';
}

inline ParseResult parsePrecision(OpAsmParser& parser, ArrayAttr& precision) {
  if (failed(parser.parseOptionalComma())) return success();
  if (parser.parseKeyword("precision")) return failure();
  return parsePrecisionList(parser, precision);
}

// The same, and `, algorithm = <…>`.
inline void printPrecisionAndAlgorithm(OpAsmPrinter& printer, Operation* operation,
                                       ArrayAttr precision, DotAlgorithmAttr algorithm) {
  printPrecision(printer, operation, precision);
  if (algorithm) {
    printer << ", algorithm = ";
    printer.printStrippedAttrOrType(algorithm);
  }
}

inline ParseResult parsePrecisionAndAlgorithm(OpAsmParser& parser, ArrayAttr& precision,
                                              DotAlgorithmAttr& algorithm) {
  if (failed(parser.parseOptionalComma())) return success();
  if (succeeded(parser.parseOptionalKeyword("precision"))) {
    if (parsePrecisionList(parser, precision)) return failure();
    if (failed(parser.parseOptionalComma())) return success();
  }
  return failure(parser.parseKeyword("algorithm") || parser.parseEqual() ||
                 parser.parseCustomAttributeWithFallback(algorithm));
}

// `[0] x [0]`
inline ParseResult parseDimensionPair(OpAsmParser& parser, SmallVector<int64_t>& lhs,
                                      SmallVector<int64_t>& rhs) {
  return failure(parser.parseEqual() || parseDimensionList(parser, lhs) ||
                 parser.parseKeyword("x") || parseDimensionList(parser, rhs));
}

inline void printDimensionPair(OpAsmPrinter& printer, ArrayRef<int64_t> lhs,
                               ArrayRef<int64_t> rhs) {
  printDimensionList(printer, lhs);
  printer << " x ";
  printDimensionList(printer, rhs);
}

// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`; the former where there are any.
inline void printDotDimensions(OpAsmPrinter& printer, Operation*, DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() || !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDimensionPair(printer, numbers.getLhsBatchingDimensions(),
                       numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDimensionPair(printer, numbers.getLhsContractingDimensions(),
                     numbers.getRhsContractingDimensions());
}

inline ParseResult parseDotDimensions(OpAsmParser& parser, DotDimensionNumbersAttr& numbers) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parseDimensionPair(parser, lhsBatching, rhsBatching) || parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") ||
      parseDimensionPair(parser, lhsContracting, rhsContracting))
    return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatching, rhsBatching,
                                         lhsContracting, rhsContracting);
  return success();
}

// `@name`, quoted where it is no identifier.
inline void printCallTarget(OpAsmPrinter& printer, Operation*, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

inline ParseResult parseCallTarget(OpAsmParser& parser, StringAttr& target) {
  return parser.parseSymbolName(target);
}

// ` ({…}, {…})`, or nothing where there are no regions.
inline void printCompositeRegions(OpAsmPrinter& printer, Operation*, RegionRange regions) {
  if (regions.empty()) return;
  printer << " (";
  llvm::interleaveComma(regions, printer, [&](Region* region) { printer.printRegion(*region); });
  printer << ')';
}

inline ParseResult parseCompositeRegions(OpAsmParser& parser,
                                         SmallVectorImpl<std::unique_ptr<Region>>& regions) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalParen, [&]() -> ParseResult {
    return parser.parseRegion(*regions.emplace_back(std::make_unique<Region>()));
  });
}

}  // namespace mlir::stablehlo
