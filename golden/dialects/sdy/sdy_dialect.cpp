// Text of the sdy attributes and operations: what their formats name as custom<…>, and attributes
// that have none.
#include <cctype>

#include "golden/dialects/sdy/sdy_dialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/sdy/SdyDialect.cpp.inc"
#include "golden/dialects/sdy/SdyEnums.cpp.inc"

namespace mlir::sdy {
namespace {

ParseResult parseElement(AsmParser& parser, int64_t& element) {
  return parser.parseInteger(element);
}
ParseResult parseElement(AsmParser& parser, StringAttr& element) {
  std::string text;
  if (parser.parseString(&text)) return failure();
  element = StringAttr::get(parser.getContext(), text);
  return success();
}
template <typename T>
ParseResult parseElement(AsmParser& parser, T& element) {
  element = dyn_cast_or_null<T>(T::parse(parser, Type()));
  return success(element != nullptr);
}

void printElement(AsmPrinter& printer, int64_t element) { printer << element; }
void printElement(AsmPrinter& printer, StringAttr element) { printer << element; }
template <typename T>
void printElement(AsmPrinter& printer, T element) {
  element.print(printer);
}

// A list in `brackets`, a pair of them.
template <typename T>
ParseResult parseList(AsmParser& parser, SmallVectorImpl<T>& elements, StringRef brackets = "[]") {
  const auto delimiter = brackets == "{}"   ? AsmParser::Delimiter::Braces
                         : brackets == "[]" ? AsmParser::Delimiter::Square
                                            : AsmParser::Delimiter::Paren;
  return parser.parseCommaSeparatedList(
      delimiter, [&] { return parseElement(parser, elements.emplace_back()); });
}
template <typename T>
void printList(AsmPrinter& printer, StringRef open, ArrayRef<T> elements, StringRef close) {
  printer << open;
  llvm::interleaveComma(elements, printer, [&](const T& each) { printElement(printer, each); });
  printer << close;
}
template <typename T>
void printList(AsmPrinter& printer, ArrayRef<T> elements, StringRef brackets = "[]") {
  printList(printer, brackets.take_front(), elements, brackets.take_back());
}

// Factors are named i to z, then z_1, z_2, …
constexpr int64_t kLettersFromI = 'z' - 'i' + 1;

void printFactor(AsmPrinter& printer, int64_t factor) {
  if (factor < kLettersFromI)
    printer << static_cast<char>('i' + factor);
  else
    printer << "z_" << factor - kLettersFromI + 1;
}

// Takes the first factor off `symbols`.
ParseResult takeFactor(AsmParser& parser, StringRef& symbols, int64_t& factor) {
  uint64_t number = 0;
  if (symbols.starts_with("z_")) {
    StringRef digits = symbols.drop_front(2).take_while(
        [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
    if (!digits.empty() && !digits.getAsInteger(10, number) && number < (1u << 20)) {
      symbols = symbols.drop_front(2 + digits.size());
      factor = static_cast<int64_t>(kLettersFromI + number - 1);
      return success();
    }
  } else if (!symbols.empty() && symbols.front() >= 'i' && symbols.front() <= 'z') {
    factor = symbols.front() - 'i';
    symbols = symbols.drop_front();
    return success();
  }
  return parser.emitError(parser.getCurrentLocation())
         << "expected a factor from 'i' to 'z' or 'z_N', found '" << symbols << "'";
}

ParseResult parseFactors(AsmParser& parser, SmallVectorImpl<int64_t>& factors) {
  StringRef symbols;
  if (parser.parseKeyword(&symbols)) return failure();
  while (!symbols.empty())
    if (takeFactor(parser, symbols, factors.emplace_back())) return failure();
  return success();
}

void printFactors(AsmPrinter& printer, ArrayRef<int64_t> factors) {
  for (int64_t factor : factors) printFactor(printer, factor);
}

ParseResult parseFactorSizes(AsmParser& parser, SmallVectorImpl<int64_t>& sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
    StringRef symbol;
    int64_t factor = 0;
    if (parser.parseKeyword(&symbol) || takeFactor(parser, symbol, factor)) return failure();
    if (factor != static_cast<int64_t>(sizes.size()) || !symbol.empty())
      return parser.emitError(parser.getCurrentLocation())
             << "factor sizes must name each factor in order, from i";
    return failure(parser.parseEqual() || parser.parseInteger(sizes.emplace_back()));
  });
}

void printFactorSizes(AsmPrinter& printer, ArrayRef<int64_t> sizes) {
  if (sizes.empty()) return;
  printer << " {";
  llvm::interleaveComma(llvm::enumerate(sizes), printer, [&](auto each) {
    printFactor(printer, static_cast<int64_t>(each.index()));
    printer << "=" << each.value();
  });
  printer << "}";
}

ParseResult parseFactorGroup(AsmParser& parser, SmallVectorImpl<int64_t>& factors,
                             StringRef keyword) {
  if (parser.parseOptionalKeyword(keyword)) return success();
  if (parser.parseEqual()) return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&] {
    StringRef symbol;
    return failure(parser.parseKeyword(&symbol) ||
                   takeFactor(parser, symbol, factors.emplace_back()));
  });
}

void printFactorGroup(AsmPrinter& printer, ArrayRef<int64_t> factors, StringRef keyword) {
  if (factors.empty()) return;
  printer << " " << keyword << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) { printFactor(printer, factor); });
  printer << "}";
}

ParseResult parseCustomRule(AsmParser& parser, bool& isCustom) {
  isCustom = succeeded(parser.parseOptionalComma());
  return isCustom ? parser.parseKeyword("custom") : success();
}

void printCustomRule(AsmPrinter& printer, bool isCustom) {
  if (isCustom) printer << ", custom";
}

ParseResult parseBody(OpAsmParser& parser, Region& body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true, /*allowAttrs=*/true) ||
                 parser.parseRegion(body, arguments));
}

// The body's arguments are printed like a function's, without a block label.
void printBody(OpAsmPrinter& printer, Operation*, Region& body) {
  printer << "(";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

// `[<…>, <…>]`, without what surrounds the list in its own text.
ParseResult parseShardings(OpAsmParser& parser, TensorShardingPerValueAttr& attribute) {
  SmallVector<TensorShardingAttr> shardings;
  if (parseList(parser, shardings)) return failure();
  attribute = TensorShardingPerValueAttr::get(parser.getContext(), shardings);
  return success();
}

void printShardings(OpAsmPrinter& printer, Operation*, TensorShardingPerValueAttr attribute) {
  printList(printer, attribute.getShardings());
}

}  // namespace
}  // namespace mlir::sdy

#define GET_ATTRDEF_CLASSES
#include "golden/dialects/sdy/SdyAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "golden/dialects/sdy/SdyOps.cpp.inc"

namespace mlir::sdy {

Attribute DimensionShardingAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool closed = true;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        if (!closed) return parser.emitError(parser.getCurrentLocation(), "'?' must come last");
        if (succeeded(parser.parseOptionalQuestion())) {
          closed = false;
          return success();
        }
        return parseElement(parser, axes.emplace_back());
      }))
    return {};
  std::optional<uint64_t> priority;
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word))) {
    uint64_t number = 0;
    if (!word.consume_front("p") || word.getAsInteger(10, number)) {
      parser.emitError(parser.getCurrentLocation(), "expected a priority such as p0");
      return {};
    }
    priority = number;
  }
  return get(parser.getContext(), axes, closed, priority);
}

void DimensionShardingAttr::print(AsmPrinter& printer) const {
  printList(printer, "{", getAxes(), "");
  if (!getIsClosed()) printer << (getAxes().empty() ? "?" : ", ?");
  printer << "}";
  if (getPriority()) printer << "p" << *getPriority();
}

Attribute TensorShardingAttr::parse(AsmParser& parser, Type) {
  if (parser.parseLess()) return {};
  Attribute mesh;
  if (succeeded(parser.parseOptionalKeyword("mesh"))) {
    mesh = MeshAttr::parse(parser, Type());
  } else {
    StringAttr name;
    if (succeeded(parser.parseSymbolName(name))) mesh = FlatSymbolRefAttr::get(name);
  }
  SmallVector<DimensionShardingAttr> dimensions;
  if (!mesh || parser.parseComma() || parseList(parser, dimensions)) return {};
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionOp reduction = ReductionOp::Sum;
  while (succeeded(parser.parseOptionalComma())) {
    const bool isReplicated = succeeded(parser.parseOptionalKeyword("replicated"));
    if ((!isReplicated && parser.parseKeyword("unreduced")) || parser.parseEqual()) return {};
    if (!isReplicated)
      for (ReductionOp each : {ReductionOp::Max, ReductionOp::Min})
        if (succeeded(parser.parseOptionalKeyword(stringifyReductionOp(each)))) reduction = each;
    if (parseList(parser, isReplicated ? replicated : unreduced, "{}")) return {};
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), mesh, dimensions, replicated, unreduced, reduction);
}

void TensorShardingAttr::print(AsmPrinter& printer) const {
  printer << "<";
  if (auto mesh = dyn_cast<MeshAttr>(getMesh())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMesh();
  }
  printList(printer, ", [", getDimensions(), "]");
  if (!getReplicatedAxes().empty()) printList(printer, ", replicated={", getReplicatedAxes(), "}");
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getReductionOp() != ReductionOp::Sum) printer << stringifyReductionOp(getReductionOp());
    printList(printer, "{", getUnreducedAxes(), "}");
  }
  printer << ">";
}

void SdyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "golden/dialects/sdy/SdyAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/sdy/SdyOps.cpp.inc"
      >();
  registerBytecode();
}

}  // namespace mlir::sdy
