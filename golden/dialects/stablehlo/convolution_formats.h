// Text of convolutions: of #stablehlo.conv, `<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`, where the
// numbers are spatial dimensions and `?` stands for a dimension with no role; and of the window,
// `stride = [2, 3], pad = [[1, 1], [2, 1]], …`.
#pragma once

#include "golden/dialects/stablehlo/attribute_formats.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::stablehlo {

// One bracket: where the two lettered dimensions and the spatial ones are.
struct ConvolutionLayout {
  int64_t first = -1;
  int64_t second = -1;
  SmallVector<int64_t> spatial;
};

// Takes entry `position` of a bracket into `layout`. Spatial numbers can come in
// any order, so those not yet seen are -1.
inline ParseResult parseEntry(AsmParser& parser, char first, char second, int64_t position,
                              ConvolutionLayout& layout) {
  if (succeeded(parser.parseOptionalQuestion())) return success();
  SMLoc location = parser.getCurrentLocation();
  int64_t number = 0;
  OptionalParseResult parsed = parser.parseOptionalInteger(number);
  int64_t* slot = nullptr;
  if (parsed.has_value()) {
    // A bracket of more than a million entries is no layout; this also bounds the allocation.
    if (*parsed || number < 0 || number > (1 << 20))
      return parser.emitError(location) << "spatial dimension " << number << " is out of range";
    const int64_t known = layout.spatial.size();
    if (number >= known) layout.spatial.resize(number + 1, -1);
    slot = &layout.spatial[number];
  } else {
    StringRef letter;
    if (parser.parseKeyword(&letter)) return failure();
    if (letter == StringRef(&first, 1))
      slot = &layout.first;
    else if (letter == StringRef(&second, 1))
      slot = &layout.second;
    else
      return parser.emitError(location) << "expected '" << first << "', '" << second
                                        << "', a spatial dimension or ?, found '" << letter << "'";
  }
  if (*slot != -1) return parser.emitError(location, "dimension is given twice");
  *slot = position;
  return success();
}

inline ParseResult parseLayout(AsmParser& parser, char first, char second,
                               ConvolutionLayout& layout) {
  SMLoc location = parser.getCurrentLocation();
  int64_t position = 0;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseEntry(parser, first, second, position++, layout);
      }))
    return failure();
  if (layout.first == -1 || layout.second == -1)
    return parser.emitError(location) << "expected both '" << first << "' and '" << second << "'";
  if (llvm::is_contained(layout.spatial, -1))
    return parser.emitError(location, "spatial dimensions must be numbered without gaps");
  return success();
}

inline void printLayout(AsmPrinter& printer, char firstLetter, int64_t first, char secondLetter,
                        int64_t second, ArrayRef<int64_t> spatial) {
  int64_t last = std::max(first, second);
  for (int64_t dimension : spatial) last = std::max(last, dimension);
  printer << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, last + 1), printer, [&](int64_t position) {
    auto number = llvm::find(spatial, position);
    if (position == first)
      printer << StringRef(&firstLetter, 1);
    else if (position == second)
      printer << StringRef(&secondLetter, 1);
    else if (number != spatial.end())
      printer << static_cast<int64_t>(number - spatial.begin());
    else
      printer << '?';
  });
  printer << ']';
}

// `[[1, 1], [2, 1]]` as dense<…> : tensor<2x2xi64>.
inline ParseResult parsePadding(OpAsmParser& parser, DenseIntElementsAttr& padding) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<int64_t> values;
  int64_t rows = 0;
  auto parsePair = [&]() -> ParseResult {
    SmallVector<int64_t> pair;
    if (parseDimensionList(parser, pair)) return failure();
    if (pair.size() != 2)
      return parser.emitError(location)
             << "expected pairs of low and high padding, found " << pair.size() << " values";
    llvm::append_range(values, pair);
    ++rows;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair)) return failure();
  // No pair at all: upstream's tensor<0x0>, which prints as [] again.
  auto type = RankedTensorType::get({rows, rows == 0 ? 0 : 2}, parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

inline void printPadding(OpAsmPrinter& printer, DenseIntElementsAttr padding) {
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

inline ParseResult parseReversal(OpAsmParser& parser, Attribute& reversal) {
  SmallVector<bool> values;
  auto parseValue = [&]() -> ParseResult {
    SMLoc location = parser.getCurrentLocation();
    StringRef word;
    if (succeeded(parser.parseOptionalKeyword(&word, {"true", "false"}))) {
      values.push_back(word == "true");
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

// `[b, 0, f]x[0, i, o]->[b, 0, f]`, without the angle brackets.
inline ParseResult parseConvolutionDimensions(AsmParser& parser,
                                              ConvDimensionNumbersAttr& numbers) {
  ConvolutionLayout input, kernel, output;
  if (parseLayout(parser, 'b', 'f', input) || parser.parseKeyword("x") ||
      parseLayout(parser, 'i', 'o', kernel) || parser.parseArrow() ||
      parseLayout(parser, 'b', 'f', output))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial, kernel.first, kernel.second,
      kernel.spatial, output.first, output.second, output.spatial);
  return success();
}

inline void printConvolutionDimensions(AsmPrinter& printer, Operation*,
                                       ConvDimensionNumbersAttr numbers) {
  printLayout(printer, 'b', numbers.getInputBatchDimension(), 'f',
              numbers.getInputFeatureDimension(), numbers.getInputSpatialDimensions());
  printer << 'x';
  printLayout(printer, 'i', numbers.getKernelInputFeatureDimension(), 'o',
              numbers.getKernelOutputFeatureDimension(), numbers.getKernelSpatialDimensions());
  printer << "->";
  printLayout(printer, 'b', numbers.getOutputBatchDimension(), 'f',
              numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions());
}

// `stride = [2, 3], pad = [[1, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 2],
// reverse = [true, false]`, in this order and as far as the attributes are there.
inline void printWindow(OpAsmPrinter& printer, Operation*, Attribute strides,
                        DenseIntElementsAttr padding, Attribute lhsDilation, Attribute rhsDilation,
                        Attribute reversal) {
  StringRef separator = "";
  auto begin = [&](StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
  };
  auto list = [&](StringRef name, Attribute dimensions) {
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

inline ParseResult parseWindow(OpAsmParser& parser, Attribute& strides,
                               DenseIntElementsAttr& padding, Attribute& lhsDilation,
                               Attribute& rhsDilation, Attribute& reversal) {
  const StringRef names[] = {"stride", "pad", "lhs_dilate", "rhs_dilate", "reverse"};
  const auto given = [&](StringRef name) {
    if (name == "pad") return padding != nullptr;
    if (name == "reverse") return reversal != nullptr;
    return (name == "stride"       ? strides
            : name == "lhs_dilate" ? lhsDilation
                                   : rhsDilation) != nullptr;
  };
  StringRef name;
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
    SMLoc location = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&name, names)))
      return parser.emitError(location)
             << "expected stride, pad, lhs_dilate, rhs_dilate or reverse";
  }
}

}  // namespace mlir::stablehlo
