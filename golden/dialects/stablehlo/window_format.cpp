// The window of a convolution: `stride = [2, 3], pad = [[1, 1], [2, 1]], …`.
#include "golden/dialects/stablehlo/assembly_format.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::stablehlo {
namespace {

// `[[1, 1], [2, 1]]` as dense<…> : tensor<2x2xi64>.
ParseResult parsePadding(OpAsmParser& parser, DenseIntElementsAttr& padding) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<int64_t> values;
  int64_t rows = 0;
  auto parsePair = [&]() -> ParseResult {
    FailureOr<llvm::SmallVector<int64_t>> pair = parseDimensionList(parser);
    if (failed(pair)) return failure();
    if (pair->size() != 2)
      return parser.emitError(location)
             << "expected pairs of low and high padding, found " << pair->size() << " values";
    llvm::append_range(values, *pair);
    ++rows;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair)) return failure();
  // No pair at all: upstream's tensor<0x0>, which prints as [] again.
  auto type = RankedTensorType::get({rows, rows == 0 ? 0 : 2}, parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

void printPadding(OpAsmPrinter& printer, DenseIntElementsAttr padding) {
  auto type = padding.getType();
  auto values = padding.getValues<int64_t>();
  const int64_t rows = type.getRank() == 2 ? type.getDimSize(0) : 0;
  const int64_t columns = type.getRank() == 2 ? type.getDimSize(1) : 0;
  printer << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, rows), printer, [&](int64_t row) {
    printer << '[';
    llvm::interleaveComma(llvm::seq<int64_t>(0, columns), printer,
                          [&](int64_t column) { printer << values[row * columns + column]; });
    printer << ']';
  });
  printer << ']';
}

ParseResult parseReversal(OpAsmParser& parser, Attribute& reversal) {
  llvm::SmallVector<bool> values;
  auto parseValue = [&]() -> ParseResult {
    llvm::SMLoc location = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalKeyword("true"))) {
      values.push_back(true);
      return success();
    }
    if (succeeded(parser.parseOptionalKeyword("false"))) {
      values.push_back(false);
      return success();
    }
    // Texts from before 0.10 have 0 and 1.
    int64_t number = 0;
    OptionalParseResult parsed = parser.parseOptionalInteger(number);
    if (!parsed.has_value() || *parsed || (number != 0 && number != 1))
      return parser.emitError(location, "expected true or false");
    values.push_back(number == 1);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseValue)) return failure();
  reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
  return success();
}

}  // namespace

void printWindow(OpAsmPrinter& printer, Operation*, Attribute strides,
                 DenseIntElementsAttr padding, Attribute lhsDilation, Attribute rhsDilation,
                 Attribute reversal) {
  llvm::StringRef separator = "";
  auto begin = [&](llvm::StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  auto list = [&](llvm::StringRef name, Attribute dimensions) {
    if (!dimensions) return;
    begin(name);
    printDimensionList(printer, dimensionsOf(dimensions));
  };
  list("stride", strides);
  if (padding) {
    begin("pad");
    printPadding(printer, padding);
  }
  list("lhs_dilate", lhsDilation);
  list("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    printer << '[';
    llvm::interleaveComma(booleansOf(reversal), printer,
                          [&](bool value) { printer << (value ? "true" : "false"); });
    printer << ']';
  }
}

ParseResult parseWindow(OpAsmParser& parser, Attribute& strides, DenseIntElementsAttr& padding,
                        Attribute& lhsDilation, Attribute& rhsDilation, Attribute& reversal) {
  const llvm::StringRef names[] = {"stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"};
  const auto given = [&](llvm::StringRef name) {
    if (name == "pad") return padding != nullptr;
    if (name == "reverse") return reversal != nullptr;
    return (name == "stride" ? strides : name == "lhs_dilate" ? lhsDilation : rhsDilation) !=
           nullptr;
  };
  llvm::StringRef name;
  // Nothing between the braces, which belong to the operation's format.
  if (failed(parser.parseOptionalKeyword(&name, names))) return success();
  while (true) {
    if (given(name))
      return parser.emitError(parser.getNameLoc()) << "'" << name << "' is given twice";
    if (parser.parseEqual()) return failure();
    if (name == "pad") {
      if (parsePadding(parser, padding)) return failure();
    } else if (name == "reverse") {
      if (parseReversal(parser, reversal)) return failure();
    } else if (parseDimensions(parser, name == "stride"       ? strides
                                       : name == "lhs_dilate" ? lhsDilation
                                                              : rhsDilation)) {
      return failure();
    }
    if (failed(parser.parseOptionalComma())) return success();
    llvm::SMLoc location = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&name, names)))
      return parser.emitError(location)
             << "expected stride, pad, lhs_dilate, rhs_dilate or reverse";
  }
}

}  // namespace mlir::stablehlo
