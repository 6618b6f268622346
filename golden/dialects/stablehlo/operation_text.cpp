// Text of the operations that no declarative format says: constant, reduce and while.
#include <cstring>

#include "golden/dialects/stablehlo/control_flow_ops.h"
#include "golden/dialects/stablehlo/reduction_ops.h"
#include "golden/dialects/stablehlo/shape_ops.h"
#include "llvm/ADT/StringExtras.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"

namespace mlir::stablehlo {
namespace {

// Texts of releases that use a newer MLIR than ours hold one byte for each
// element of dense<"0x…"> : tensor<…xi1>, where ours holds one bit.
bool atHexadecimal(OpAsmParser& parser) {
  // The source is terminated by a zero byte, so the comparison stays inside it; to
  // ask for its length would read all of the text that follows.
  constexpr StringLiteral kStart = "dense<\"0x";
  return std::strncmp(parser.getCurrentLocation().getPointer(), kStart.data(), kStart.size()) == 0;
}

ParseResult parseHexadecimal(OpAsmParser& parser, ElementsAttr& value) {
  SMLoc location = parser.getCurrentLocation();
  std::string digits, bytes;
  Type type;
  if (parser.parseKeyword("dense") || parser.parseLess() || parser.parseString(&digits) ||
      parser.parseGreater() || parser.parseColonType(type))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !elementKind(tensor.getElementType()) ||
      isa<quant::QuantizedType>(tensor.getElementType()))
    return parser.emitError(location)
           << "expected a static tensor of numbers for hexadecimal elements, found " << type;
  if (!llvm::tryGetFromHex(StringRef(digits).drop_front(2), bytes))
    return parser.emitError(location, "hexadecimal elements hold a character that is no digit");
  ArrayRef<char> data(bytes.data(), bytes.size());
  if (tensor.getElementType().isInteger(1) && tensor.getNumElements() != 1 &&
      static_cast<int64_t>(data.size()) == tensor.getNumElements()) {
    SmallVector<bool> booleans(data.begin(), data.end());
    value = DenseElementsAttr::get(tensor, booleans);
    return success();
  }
  bool isSplat = false;
  if (!DenseElementsAttr::isValidRawBuffer(tensor, data, isSplat))
    return parser.emitError(location)
           << data.size() << " bytes of hexadecimal elements do not fill " << type;
  value = DenseElementsAttr::getFromRawBuffer(tensor, data);
  return success();
}

// The type of the body's arguments for an input with this initial value.
Type scalarTypeOf(Type init) {
  return RankedTensorType::get({}, cast<ShapedType>(init).getElementType());
}

// The operation that the compact text can name, or null: it takes the two
// arguments in order, gives what the body returns, and has nothing else to print,
// no location of its own either.
Operation* compactOperation(ReduceOp reduce) {
  Block& block = reduce.getBody().front();
  if (reduce.getInputs().size() != 1 || block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation& inner = block.front();
  Operation& terminator = block.back();
  Type scalar = scalarTypeOf(reduce.getInitValues()[0].getType());
  const auto isScalar = [&](Type type) { return type == scalar; };
  const auto isHere = [&](BlockArgument a) { return a.getLoc() == reduce.getLoc(); };
  const bool compact =
      inner.getLoc() == reduce.getLoc() && terminator.getLoc() == reduce.getLoc() &&
      llvm::all_of(block.getArguments(), isHere) && inner.getDialect() == reduce->getDialect() &&
      inner.getNumRegions() == 0 && inner.getAttrs().empty() && inner.getNumOperands() == 2 &&
      inner.getNumResults() == 1 && llvm::equal(inner.getOperands(), block.getArguments()) &&
      terminator.getName().getStringRef() == "stablehlo.return" && terminator.getAttrs().empty() &&
      llvm::equal(terminator.getOperands(), inner.getResults()) &&
      llvm::all_of(block.getArgumentTypes(), isScalar) && isScalar(inner.getResult(0).getType());
  return compact ? &inner : nullptr;
}

// Fills the body of the compact text: two arguments, `name`, and its return.
ParseResult buildCompactBody(OpAsmParser& parser, SMLoc location, OperationName name, Type init,
                             OperationState& result) {
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
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer")) return failure();
  while (succeeded(parser.parseOptionalLParen()))
    if (parser.parseArgument(first.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  llvm::append_range(first, second);
  return parser.parseRegion(*result.regions.front(), first);
}

}  // namespace

// stablehlo.constant: `stablehlo.constant {attributes} dense<…> : type`.
void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  // Also asked for while an operation that does not verify is shown in a message.
  Value output = (*this)->getResult(0);
  auto tensor = dyn_cast<ShapedType>(output.getType());
  const bool isInteger = tensor && isa<IntegerType>(tensor.getElementType());
  setName(output, isInteger ? "c" : "cst");
}

void ConstantOp::print(OpAsmPrinter& printer) {
  // A quantized constant holds its storage values: the two types differ.
  if (getValue().getType() != getOutput().getType()) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

ParseResult ConstantOp::parse(OpAsmParser& parser, OperationState& result) {
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseRParen()) return failure();
    return parser.parseGenericOperationAfterOpName(result,
                                                   ArrayRef<OpAsmParser::UnresolvedOperand>());
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes)) return failure();
  if (atHexadecimal(parser) ? parseHexadecimal(parser, value) : parser.parseAttribute(value))
    return failure();
  result.addAttribute("value", value);
  result.addTypes(value.getShapedType());
  return success();
}

// stablehlo.reduce, compact where the body is one binary operation:
//
//   %r = stablehlo.reduce(%a init: %b) applies stablehlo.add across dimensions = [0] : …
//
// and otherwise with the arguments of the body grouped by input:
//
//   %r:2 = stablehlo.reduce(%a init: %b), (%c init: %d) across dimensions = [0] : …
//    reducer(%arg0: tensor<f32>, %arg2: tensor<f32>) (%arg1: tensor<i32>, %arg3: tensor<i32>)  {
//     …
//   }
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
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(operands.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  const size_t count = operands.size();
  llvm::append_range(operands, inits);

  std::optional<OperationName> inner;
  SMLoc innerLocation = parser.getCurrentLocation();
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

  SmallVector<int64_t> dimensions;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseDimensionList(parser, dimensions))
    return failure();
  result.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(dimensions));
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location, result.operands))
    return failure();
  result.addTypes(type.getResults());
  result.addRegion();
  if (inner) return buildCompactBody(parser, innerLocation, *inner, type.getInput(count), result);
  return parseReducer(parser, result);
}

// stablehlo.while:
//
//   %r:2 = stablehlo.while(%iterArg = %a, %iterArg_0 = %b) : tensor<i64>, tensor<f32>
//    cond {
//     …
//   } do {
//     …
//   }
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
  SMLoc location = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parsePair)) return failure();
  SmallVector<Type> types;
  if (!operands.empty() && parser.parseColonTypeList(types)) return failure();
  if (types.size() != operands.size())
    return parser.emitError(location)
           << "expected " << operands.size() << " types, found " << types.size();
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
