// Text of the sdy attributes.
#include <cctype>

#include "golden/dialects/sdy/sdy_dialect.h"
#include "mlir/IR/DialectImplementation.h"

namespace mlir::sdy {
namespace {

// Parses a list of `AttributeT` in the given brackets.
template <typename AttributeT>
ParseResult parseList(AsmParser& parser, AsmParser::Delimiter delimiter,
                      SmallVectorImpl<AttributeT>& elements) {
  return parser.parseCommaSeparatedList(delimiter, [&]() -> ParseResult {
    auto element = dyn_cast_or_null<AttributeT>(AttributeT::parse(parser, Type()));
    if (element) elements.push_back(element);
    return success(element != nullptr);
  });
}

template <typename AttributeT>
void printList(AsmPrinter& printer, StringRef open, ArrayRef<AttributeT> elements,
               StringRef close) {
  printer << open;
  llvm::interleaveComma(elements, printer, [&](AttributeT element) { element.print(printer); });
  printer << close;
}

ParseResult parseIntegers(AsmParser& parser, SmallVectorImpl<int64_t>& values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    return parser.parseInteger(values.emplace_back());
  });
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
FailureOr<int64_t> takeFactor(AsmParser& parser, StringRef& symbols) {
  uint64_t number = 0;
  if (symbols.starts_with("z_")) {
    StringRef digits = symbols.drop_front(2).take_while(
        [](char c) { return std::isdigit(static_cast<unsigned char>(c)); });
    if (!digits.empty() && !digits.getAsInteger(10, number) && number < (1u << 20)) {
      symbols = symbols.drop_front(2 + digits.size());
      return static_cast<int64_t>(kLettersFromI + number - 1);
    }
  } else if (!symbols.empty() && symbols.front() >= 'i' && symbols.front() <= 'z') {
    const int64_t factor = symbols.front() - 'i';
    symbols = symbols.drop_front();
    return factor;
  }
  return parser.emitError(parser.getCurrentLocation())
         << "expected a factor from 'i' to 'z' or 'z_N', found '" << symbols << "'";
}

ParseResult parseFactorSizes(AsmParser& parser, SmallVectorImpl<int64_t>& sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces, [&]() -> ParseResult {
    StringRef symbol;
    if (parser.parseKeyword(&symbol)) return failure();
    FailureOr<int64_t> factor = takeFactor(parser, symbol);
    if (failed(factor)) return failure();
    if (*factor != static_cast<int64_t>(sizes.size()) || !symbol.empty())
      return parser.emitError(parser.getCurrentLocation())
             << "factor sizes must name each factor in order, from i";
    return failure(parser.parseEqual() || parser.parseInteger(sizes.emplace_back()));
  });
}

ParseResult parseFactorGroup(AsmParser& parser, StringRef keyword,
                             SmallVectorImpl<int64_t>& factors) {
  if (parser.parseOptionalKeyword(keyword)) return success();
  if (parser.parseEqual()) return failure();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
    StringRef symbol;
    if (parser.parseKeyword(&symbol)) return failure();
    FailureOr<int64_t> factor = takeFactor(parser, symbol);
    if (failed(factor)) return failure();
    factors.push_back(*factor);
    return success();
  });
}

void printFactorGroup(AsmPrinter& printer, StringRef keyword, ArrayRef<int64_t> factors) {
  if (factors.empty()) return;
  printer << " " << keyword << "={";
  llvm::interleaveComma(factors, printer, [&](int64_t factor) { printFactor(printer, factor); });
  printer << "}";
}

}  // namespace

Attribute ManualAxesAttr::parse(AsmParser& parser, Type) {
  SmallVector<StringAttr> axes;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        std::string name;
        if (parser.parseString(&name)) return failure();
        axes.push_back(StringAttr::get(parser.getContext(), name));
        return success();
      }))
    return {};
  return get(parser.getContext(), axes);
}

void ManualAxesAttr::print(AsmPrinter& printer) const {
  printer << "{";
  llvm::interleaveComma(getValue(), printer, [&](StringAttr axis) { printer << axis; });
  printer << "}";
}

Attribute MeshAxisAttr::parse(AsmParser& parser, Type) {
  std::string name;
  int64_t size = 0;
  if (parser.parseString(&name) || parser.parseEqual() || parser.parseInteger(size)) return {};
  return get(parser.getContext(), name, size);
}

void MeshAxisAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  printer << "=" << getSize();
}

Attribute MeshAttr::parse(AsmParser& parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  SmallVector<int64_t> devices;
  if (parser.parseLess() || parseList(parser, AsmParser::Delimiter::Square, axes)) return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("device_ids") || parser.parseEqual() || parseIntegers(parser, devices)))
    return {};
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), axes, devices);
}

void MeshAttr::print(AsmPrinter& printer) const {
  printer << "<";
  printList(printer, "[", getAxes(), "]");
  if (!getDeviceIds().empty()) {
    printer << ", device_ids=[";
    llvm::interleaveComma(getDeviceIds(), printer);
    printer << "]";
  }
  printer << ">";
}

Attribute SubAxisInfoAttr::parse(AsmParser& parser, Type) {
  int64_t before = 0, size = 0;
  if (parser.parseLParen() || parser.parseInteger(before) || parser.parseRParen() ||
      parser.parseInteger(size))
    return {};
  return get(parser.getContext(), before, size);
}

void SubAxisInfoAttr::print(AsmPrinter& printer) const {
  printer << "(" << getPreSize() << ")" << getSize();
}

Attribute AxisRefAttr::parse(AsmParser& parser, Type) {
  std::string name;
  SubAxisInfoAttr subAxis;
  if (parser.parseString(&name)) return {};
  if (succeeded(parser.parseOptionalColon())) {
    subAxis = dyn_cast_or_null<SubAxisInfoAttr>(SubAxisInfoAttr::parse(parser, Type()));
    if (!subAxis) return {};
  }
  return get(parser.getContext(), name, subAxis);
}

void AxisRefAttr::print(AsmPrinter& printer) const {
  printer.printString(getName());
  if (getSubAxisInfo()) {
    printer << ":";
    getSubAxisInfo().print(printer);
  }
}

Attribute DimensionShardingAttr::parse(AsmParser& parser, Type) {
  SmallVector<AxisRefAttr> axes;
  bool closed = true;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        if (!closed) return parser.emitError(parser.getCurrentLocation(), "'?' must come last");
        if (succeeded(parser.parseOptionalQuestion())) {
          closed = false;
          return success();
        }
        auto axis = dyn_cast_or_null<AxisRefAttr>(AxisRefAttr::parse(parser, Type()));
        if (axis) axes.push_back(axis);
        return success(axis != nullptr);
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
  if (!mesh || parser.parseComma() ||
      parseList(parser, AsmParser::Delimiter::Square, dimensions))
    return {};
  SmallVector<AxisRefAttr> replicated, unreduced;
  ReductionOp reduction = ReductionOp::Sum;
  while (succeeded(parser.parseOptionalComma())) {
    const bool isReplicated = succeeded(parser.parseOptionalKeyword("replicated"));
    if ((!isReplicated && parser.parseKeyword("unreduced")) || parser.parseEqual()) return {};
    if (!isReplicated)
      for (ReductionOp each : {ReductionOp::Max, ReductionOp::Min})
        if (succeeded(parser.parseOptionalKeyword(stringifyReductionOp(each)))) reduction = each;
    if (parseList(parser, AsmParser::Delimiter::Braces, isReplicated ? replicated : unreduced))
      return {};
  }
  if (parser.parseGreater()) return {};
  return get(parser.getContext(), mesh, dimensions, replicated, unreduced, reduction);
}

void TensorShardingAttr::print(AsmPrinter& printer) const {
  printer << "<";
  if (auto mesh = dyn_cast<MeshAttr>(getMeshOrRef())) {
    printer << "mesh";
    mesh.print(printer);
  } else {
    printer << getMeshOrRef();
  }
  printList(printer, ", [", getDimShardings(), "]");
  if (!getReplicatedAxes().empty()) printList(printer, ", replicated={", getReplicatedAxes(), "}");
  if (!getUnreducedAxes().empty()) {
    printer << ", unreduced=";
    if (getReductionOp() != ReductionOp::Sum) printer << stringifyReductionOp(getReductionOp());
    printList(printer, "{", getUnreducedAxes(), "}");
  }
  printer << ">";
}

Attribute TensorShardingPerValueAttr::parse(AsmParser& parser, Type) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseLess() || parseList(parser, AsmParser::Delimiter::Square, shardings) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), shardings);
}

void TensorShardingPerValueAttr::print(AsmPrinter& printer) const {
  printList(printer, "<[", getShardings(), "]>");
}

Attribute DimMappingAttr::parse(AsmParser& parser, Type) {
  SmallVector<int64_t> factors;
  StringRef symbols;
  if (parser.parseKeyword(&symbols)) return {};
  while (!symbols.empty()) {
    FailureOr<int64_t> factor = takeFactor(parser, symbols);
    if (failed(factor)) return {};
    factors.push_back(*factor);
  }
  return get(parser.getContext(), factors);
}

void DimMappingAttr::print(AsmPrinter& printer) const {
  for (int64_t factor : getFactorIndices()) printFactor(printer, factor);
}

Attribute TensorMappingAttr::parse(AsmParser& parser, Type) {
  SmallVector<DimMappingAttr> dimensions;
  if (parseList(parser, AsmParser::Delimiter::Square, dimensions)) return {};
  return get(parser.getContext(), dimensions);
}

void TensorMappingAttr::print(AsmPrinter& printer) const {
  printList(printer, "[", getDimMappings(), "]");
}

Attribute OpShardingRuleAttr::parse(AsmParser& parser, Type) {
  SmallVector<TensorMappingAttr> operands, results;
  SmallVector<int64_t> sizes, reduction, replication, permutation, blocked;
  if (parser.parseLess() || parseList(parser, AsmParser::Delimiter::Paren, operands) ||
      parser.parseArrow() || parseList(parser, AsmParser::Delimiter::Paren, results) ||
      parseFactorSizes(parser, sizes) || parseFactorGroup(parser, "reduction", reduction) ||
      parseFactorGroup(parser, "need_replication", replication) ||
      parseFactorGroup(parser, "permutation", permutation) ||
      parseFactorGroup(parser, "blocked_propagation", blocked))
    return {};
  const bool custom = succeeded(parser.parseOptionalComma());
  if ((custom && parser.parseKeyword("custom")) || parser.parseGreater()) return {};
  return get(parser.getContext(), sizes, operands, results, reduction, replication, permutation,
             blocked, custom);
}

void OpShardingRuleAttr::print(AsmPrinter& printer) const {
  printList(printer, "<(", getOperandMappings(), ")->");
  printList(printer, "(", getResultMappings(), ")");
  if (!getFactorSizes().empty()) {
    printer << " {";
    for (auto [factor, size] : llvm::enumerate(getFactorSizes())) {
      if (factor) printer << ", ";
      printFactor(printer, static_cast<int64_t>(factor));
      printer << "=" << size;
    }
    printer << "}";
  }
  printFactorGroup(printer, "reduction", getReductionFactors());
  printFactorGroup(printer, "need_replication", getNeedReplicationFactors());
  printFactorGroup(printer, "permutation", getPermutationFactors());
  printFactorGroup(printer, "blocked_propagation", getBlockedPropagationFactors());
  if (getIsCustomRule()) printer << ", custom";
  printer << ">";
}

}  // namespace mlir::sdy
