// Text of stablehlo.reduce, compact where the body is one binary operation:
//
//   %r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0] : …
//
// and otherwise with the arguments of the body grouped by input:
//
//   %r:2 = stablehlo.reduce(%a init: %b), (%c init: %d) across dimensions = [0] : …
//    reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
//     …
//   }
#include "golden/dialects/stablehlo/reduction_ops.h"

namespace mlir::stablehlo {
namespace {

// The type of the body's arguments for an input with this initial value.
Type scalarTypeOf(Type init) {
  return RankedTensorType::get({}, cast<ShapedType>(init).getElementType());
}

// The operation that the compact text can name, or null: it takes the two
// arguments in order, gives what the body returns, and has nothing else to print,
// no location of its own either.
Operation* compactOperation(ReduceOp reduce) {
  Block& block = reduce.getBody().front();
  if (reduce.getInputs().size() != 1 || block.getNumArguments() != 2 ||
      !llvm::hasNItems(block, 2))
    return nullptr;
  Operation& inner = block.front();
  Operation& terminator = block.back();
  Type scalar = scalarTypeOf(reduce.getInitValues()[0].getType());
  const auto isScalar = [&](Type type) { return type == scalar; };
  const auto isHere = [&](BlockArgument a) { return a.getLoc() == reduce.getLoc(); };
  const bool compact =
      inner.getLoc() == reduce.getLoc() && terminator.getLoc() == reduce.getLoc() &&
      llvm::all_of(block.getArguments(), isHere) &&
      inner.getDialect() == reduce->getDialect() && inner.getNumRegions() == 0 &&
      inner.getAttrs().empty() && inner.getNumOperands() == 2 && inner.getNumResults() == 1 &&
      llvm::equal(inner.getOperands(), block.getArguments()) &&
      terminator.getName().getStringRef() == "stablehlo.return" && terminator.getAttrs().empty() &&
      llvm::equal(terminator.getOperands(), inner.getResults()) &&
      llvm::all_of(block.getArgumentTypes(), isScalar) && isScalar(inner.getResult(0).getType());
  return compact ? &inner : nullptr;
}

// Fills the body of the compact text: two arguments, `name`, and its return.
ParseResult buildCompactBody(OpAsmParser& parser, llvm::SMLoc location, OperationName name,
                             Type init, OperationState& result) {
  std::optional<Location> explicitLocation;
  if (parser.parseOptionalLocationSpecifier(explicitLocation)) return failure();
  if (explicitLocation) result.location = *explicitLocation;
  Location where = result.location;
  if (!isa<ShapedType>(init))
    return parser.emitError(location) << "expected a tensor as initial value, found " << init;
  Type scalar = scalarTypeOf(init);
  Block& block = result.regions.front()->emplaceBlock();
  block.addArguments({scalar, scalar}, {where, where});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&block);
  OperationState inner(where, name, block.getArguments(), {scalar}, {});
  Operation* operation = builder.create(inner);
  OperationState terminator(where, "stablehlo.return", operation->getResults(), {}, {});
  builder.create(terminator);
  return success();
}

// ` reducer(%a: type, %b: type) (%c: type, %d: type)  {…}`
ParseResult parseReducer(OpAsmParser& parser, OperationState& result) {
  llvm::SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer")) return failure();
  while (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseArgument(first.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  }
  llvm::append_range(first, second);
  return parser.parseRegion(*result.regions.front(), first);
}

}  // namespace

void ReduceOp::print(OpAsmPrinter& printer) {
  const size_t count = getInputs().size();
  llvm::interleaveComma(llvm::zip(getInputs(), getInitValues()), printer, [&](auto pair) {
    auto [input, init] = pair;
    printer << '(' << input << " init: " << init << ')';
  });
  Operation* inner = compactOperation(*this);
  if (inner) printer << " applies " << inner->getName();
  printer << " across dimensions = ";
  printDimensionList(printer, dimensionsOf(getDimensions()));
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (inner) return;
  printer.printNewline();
  printer << " reducer";
  for (size_t i = 0; i < count; ++i) {
    printer << '(';
    printer.printRegionArgument(getBody().getArgument(i));
    printer << ", ";
    printer.printRegionArgument(getBody().getArgument(i + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult ReduceOp::parse(OpAsmParser& parser, OperationState& result) {
  llvm::SMLoc location = parser.getCurrentLocation();
  llvm::SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  const size_t count = operands.size();
  llvm::append_range(operands, inits);

  std::optional<OperationName> inner;
  llvm::SMLoc innerLocation = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    innerLocation = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name)) return failure();
    if (count != 1)
      return parser.emitError(innerLocation, "'applies' needs exactly one input and initial value");
    if (name->getDialectNamespace() != "stablehlo" || !name->isRegistered())
      return parser.emitError(innerLocation)
             << "expected a StableHLO operation after 'applies', found " << *name;
    inner = *name;
  }

  Attribute dimensions;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseDimensions(parser, dimensions))
    return failure();
  result.addAttribute("dimensions", dimensions);
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location, result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.addRegion();
  if (inner)
    return buildCompactBody(parser, innerLocation, *inner, type.getInput(count), result);
  return parseReducer(parser, result);
}

}  // namespace mlir::stablehlo
