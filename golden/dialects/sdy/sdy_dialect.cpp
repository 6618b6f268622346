#include "golden/dialects/sdy/sdy_dialect.h"

#include "mlir/IR/Builders.h"

#include "golden/dialects/sdy/SdyDialect.cpp.inc"

namespace mlir::sdy {
namespace {

// What formats in SdyOps.td name as custom<…>.

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
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        auto parsed = TensorShardingAttr::parse(parser, Type());
        shardings.push_back(dyn_cast_or_null<TensorShardingAttr>(parsed));
        return success(shardings.back() != nullptr);
      }))
    return failure();
  attribute = TensorShardingPerValueAttr::get(parser.getContext(), shardings);
  return success();
}

void printShardings(OpAsmPrinter& printer, Operation*, TensorShardingPerValueAttr attribute) {
  printer << "[";
  llvm::interleaveComma(attribute.getShardings(), printer,
                        [&](TensorShardingAttr sharding) { sharding.print(printer); });
  printer << "]";
}

}  // namespace
}  // namespace mlir::sdy

#define GET_OP_CLASSES
#include "golden/dialects/sdy/SdyOps.cpp.inc"

namespace mlir::sdy {

void SdyDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "golden/dialects/sdy/SdyOps.cpp.inc"
      >();
  registerBytecode();
}

}  // namespace mlir::sdy
