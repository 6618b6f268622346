#include "golden/dialects/sdy/sdy_dialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"

#include "golden/dialects/sdy/SdyDialect.cpp.inc"
#include "golden/dialects/sdy/SdyEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "golden/dialects/sdy/SdyAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "golden/dialects/sdy/SdyOps.cpp.inc"

namespace mlir::sdy {

void SdyDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "golden/dialects/sdy/SdyAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/sdy/SdyOps.cpp.inc"
      >();
  addBytecodeInterface(this);
}

namespace {

ParseResult parseBody(OpAsmParser& parser, Region& body) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                                          /*allowType=*/true, /*allowAttrs=*/true) ||
                 parser.parseRegion(body, arguments));
}

// The body's arguments are printed like a function's, without a block label.
void printBody(OpAsmPrinter& printer, Region& body) {
  printer << " (";
  llvm::interleaveComma(body.getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ") ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

ParseResult parseShardingsIn(OpAsmParser& parser, TensorShardingPerValueAttr& attribute) {
  SmallVector<TensorShardingAttr> shardings;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
        auto sharding =
            dyn_cast_or_null<TensorShardingAttr>(TensorShardingAttr::parse(parser, Type()));
        if (sharding) shardings.push_back(sharding);
        return success(sharding != nullptr);
      }))
    return failure();
  attribute = TensorShardingPerValueAttr::get(parser.getContext(), shardings);
  return success();
}

void printShardingsIn(OpAsmPrinter& printer, TensorShardingPerValueAttr attribute) {
  printer << "[";
  llvm::interleaveComma(attribute.getShardings(), printer,
                        [&](TensorShardingAttr sharding) { sharding.print(printer); });
  printer << "]";
}

// (operand types) -> result types, and the operands resolved.
ParseResult parseSignature(OpAsmParser& parser, OperationState& state,
                           ArrayRef<OpAsmParser::UnresolvedOperand> operands, SMLoc place) {
  FunctionType type;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), place, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

}  // namespace

ParseResult ManualComputationOp::parse(OpAsmParser& parser, OperationState& state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  TensorShardingPerValueAttr inputs, outputs;
  const SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in_shardings") || parser.parseEqual() ||
      parseShardingsIn(parser, inputs) || parser.parseKeyword("out_shardings") ||
      parser.parseEqual() || parseShardingsIn(parser, outputs) ||
      parser.parseKeyword("manual_axes") || parser.parseEqual())
    return failure();
  const Attribute axes = ManualAxesAttr::parse(parser, Type());
  if (!axes || parseBody(parser, *state.addRegion())) return failure();
  state.addAttribute("in_shardings", inputs);
  state.addAttribute("out_shardings", outputs);
  state.addAttribute("manual_axes", axes);
  return parseSignature(parser, state, operands, place);
}

void ManualComputationOp::print(OpAsmPrinter& printer) {
  printer << "(" << getTensors() << ") in_shardings=";
  printShardingsIn(printer, getInShardings());
  printer << " out_shardings=";
  printShardingsIn(printer, getOutShardings());
  printer << " manual_axes=";
  getManualAxes().print(printer);
  printBody(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {"in_shardings", "out_shardings", "manual_axes"});
  printer << " : ";
  printer.printFunctionalType(*this);
}

ParseResult NamedComputationOp::parse(OpAsmParser& parser, OperationState& state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  std::string name;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseGreater()) return failure();
  state.addAttribute("name", parser.getBuilder().getStringAttr(name));
  const SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren)) return failure();
  for (StringRef keyword : {"in_shardings", "out_shardings"}) {
    TensorShardingPerValueAttr shardings;
    if (parser.parseOptionalKeyword(keyword)) continue;
    if (parser.parseEqual() || parseShardingsIn(parser, shardings)) return failure();
    state.addAttribute(keyword, shardings);
  }
  if (parseBody(parser, *state.addRegion())) return failure();
  return parseSignature(parser, state, operands, place);
}

void NamedComputationOp::print(OpAsmPrinter& printer) {
  printer << "<\"" << getName() << "\">(" << getOperands() << ")";
  if (auto shardings = getInShardingsAttr()) {
    printer << " in_shardings=";
    printShardingsIn(printer, shardings);
  }
  if (auto shardings = getOutShardingsAttr()) {
    printer << " out_shardings=";
    printShardingsIn(printer, shardings);
  }
  printBody(printer, getBody());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"name", "in_shardings", "out_shardings"});
  printer << " : ";
  printer.printFunctionalType(*this);
}

}  // namespace mlir::sdy
