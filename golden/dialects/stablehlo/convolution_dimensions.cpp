// Text of #stablehlo.conv: `<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`, where the
// numbers are spatial dimensions and `?` stands for a dimension with no role.
#include "golden/dialects/stablehlo/stablehlo_attributes.h"

namespace mlir::stablehlo {
namespace {

// One bracket: where the two lettered dimensions and the spatial ones are.
struct Layout {
  int64_t first = -1;
  int64_t second = -1;
  llvm::SmallVector<int64_t> spatial;
};

// Takes entry `position` of a bracket into `layout`. Spatial numbers can come in
// any order, so those not yet seen are -1.
ParseResult parseEntry(AsmParser& parser, char first, char second, int64_t position,
                       Layout& layout) {
  if (succeeded(parser.parseOptionalQuestion())) return success();
  llvm::SMLoc location = parser.getCurrentLocation();
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
    llvm::StringRef letter;
    if (parser.parseKeyword(&letter)) return failure();
    if (letter == llvm::StringRef(&first, 1))
      slot = &layout.first;
    else if (letter == llvm::StringRef(&second, 1))
      slot = &layout.second;
    else
      return parser.emitError(location) << "expected '" << first << "', '" << second
                                        << "', a spatial dimension or ?, found '" << letter << "'";
  }
  if (*slot != -1) return parser.emitError(location, "dimension is given twice");
  *slot = position;
  return success();
}

ParseResult parseLayout(AsmParser& parser, char first, char second, Layout& layout) {
  llvm::SMLoc location = parser.getCurrentLocation();
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

void printLayout(AsmPrinter& printer, char firstLetter, int64_t first, char secondLetter,
                 int64_t second, llvm::ArrayRef<int64_t> spatial) {
  int64_t last = std::max(first, second);
  for (int64_t dimension : spatial) last = std::max(last, dimension);
  printer << '[';
  llvm::interleaveComma(llvm::seq<int64_t>(0, last + 1), printer, [&](int64_t position) {
    auto number = llvm::find(spatial, position);
    if (position == first)
      printer << llvm::StringRef(&firstLetter, 1);
    else if (position == second)
      printer << llvm::StringRef(&secondLetter, 1);
    else if (number != spatial.end())
      printer << static_cast<int64_t>(number - spatial.begin());
    else
      printer << '?';
  });
  printer << ']';
}

}  // namespace

FailureOr<ConvDimensionNumbersAttr> parseConvolutionDimensions(AsmParser& parser) {
  Layout input, kernel, output;
  if (parseLayout(parser, 'b', 'f', input) || parser.parseKeyword("x") ||
      parseLayout(parser, 'i', 'o', kernel) || parser.parseArrow() ||
      parseLayout(parser, 'b', 'f', output))
    return failure();
  return ConvDimensionNumbersAttr::get(parser.getContext(), input.first, input.second,
                                       input.spatial, kernel.first, kernel.second, kernel.spatial,
                                       output.first, output.second, output.spatial);
}

void printConvolutionDimensions(AsmPrinter& printer, ConvDimensionNumbersAttr numbers) {
  printLayout(printer, 'b', numbers.getInputBatchDimension(), 'f',
              numbers.getInputFeatureDimension(), numbers.getInputSpatialDimensions());
  printer << 'x';
  printLayout(printer, 'i', numbers.getKernelInputFeatureDimension(), 'o',
              numbers.getKernelOutputFeatureDimension(), numbers.getKernelSpatialDimensions());
  printer << "->";
  printLayout(printer, 'b', numbers.getOutputBatchDimension(), 'f',
              numbers.getOutputFeatureDimension(), numbers.getOutputSpatialDimensions());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser& parser, Type) {
  if (parser.parseLess()) return {};
  FailureOr<ConvDimensionNumbersAttr> numbers = parseConvolutionDimensions(parser);
  if (failed(numbers) || parser.parseGreater()) return {};
  return *numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter& printer) const {
  printer << '<';
  printConvolutionDimensions(printer, *this);
  printer << '>';
}

}  // namespace mlir::stablehlo
