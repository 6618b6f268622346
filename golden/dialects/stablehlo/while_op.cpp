// Text of stablehlo.while:
//
//   %r:2 = stablehlo.while(%iterArg = %a, %iterArg_0 = %b) : tensor<i64>, tensor<f32>
//    cond {
//     …
//   } do {
//     …
//   }
#include "golden/dialects/stablehlo/control_flow_ops.h"

namespace mlir::stablehlo {

void WhileOp::getAsmBlockArgumentNames(Region& region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) setName(argument, "iterArg");
}

void WhileOp::print(OpAsmPrinter& printer) {
  // The two regions share the names of the condition's arguments.
  printer.shadowRegionArgs(getBody(), ValueRange(getCond().getArguments()));
  printer << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperands()), printer,
                        [&](auto pair) {
                          auto [argument, operand] = pair;
                          printer.printOperand(argument);
                          printer << " = ";
                          printer.printOperand(operand);
                        });
  printer << ')';
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << " cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser& parser, OperationState& result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::Argument> arguments;
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parsePair)) return failure();
  llvm::SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types)) return failure();
  if (types.size() != operands.size())
    return parser.emitError(location) << "expected " << operands.size() << " types, found "
                                      << types.size();
  for (auto [argument, type] : llvm::zip_equal(arguments, types)) argument.type = type;
  if (parser.resolveOperands(operands, types, location, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseKeyword("cond") ||
      parser.parseRegion(*result.addRegion(), arguments) || parser.parseKeyword("do") ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  result.addTypes(types);
  return success();
}

}  // namespace mlir::stablehlo
