// Functions, loops, choices, folds and branches.
#include "golden/kernels/kept_syntax.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionImplementation.h"

namespace vintage::golden::kept {
using namespace mlir;

namespace {

class RegionReader : OperandReader {
 public:
  using OperandReader::OperandReader;

  OptionalParseResult read() {
    const StringRef name = state_.name.getStringRef();
    if (name == "tt.func") return function();
    if (name == "tt.reduce" || name == "tt.scan") return fold();
    if (name == "scf.for") return forLoop();
    if (name == "scf.while") return whileLoop();
    if (name == "scf.if") return choice();
    if (name == "cf.br") return branch();
    if (name == "cf.cond_br") return conditionalBranch();
    return std::nullopt;
  }

 private:
  ParseResult function() {
    const auto name = [&](const char* text) { return builder().getStringAttr(text); };
    const auto build = [](Builder& builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                          function_interface_impl::VariadicFlag, std::string&) -> Type {
      return builder.getFunctionType(arguments, results);
    };
    return function_interface_impl::parseFunctionOp(parser_, state_, /*allowVariadic=*/false,
                                                    name("function_type"), build, name("arg_attrs"),
                                                    name("res_attrs"));
  }

  // In generic form, which only the operations have that other syntax does not fit.
  ParseResult fold() {
    FunctionType type;
    DictionaryAttr properties;
    if (parser_.parseOperandList(operands_, AsmParser::Delimiter::Paren)) return failure();
    if (succeeded(parser_.parseOptionalLess())) {
      if (parser_.parseAttribute(properties) || parser_.parseGreater()) return failure();
      state_.addAttributes(properties.getValue());
    }
    if (parser_.parseLParen() || parser_.parseRegion(*state_.addRegion()) ||
        parser_.parseRParen() || parser_.parseOptionalAttrDict(state_.attributes) ||
        parser_.parseColonType(type))
      return failure();
    state_.addTypes(type.getResults());
    return resolve(type.getInputs());
  }

  // "(%a = %b, …)": the variables of a loop, and what they are at first.
  ParseResult variables(SmallVectorImpl<OpAsmParser::Argument>& arguments) {
    return parser_.parseCommaSeparatedList(AsmParser::Delimiter::OptionalParen, [&] {
      return failure(parser_.parseArgument(arguments.emplace_back()) || parser_.parseEqual() ||
                     operand());
    });
  }

  ParseResult region(ArrayRef<OpAsmParser::Argument> arguments) {
    mlir::Region* region = state_.addRegion();
    if (parser_.parseRegion(*region, arguments)) return failure();
    if (region->empty()) region->emplaceBlock();
    // The yield of nothing is not written.
    mlir::Block& block = region->back();
    if (block.empty() || (block.back().getName().getStringRef() != "scf.yield" &&
                          block.back().getName().getStringRef() != "scf.condition"))
      block.push_back(
          mlir::Operation::create(OperationState(builder().getUnknownLoc(), "scf.yield")));
    return success();
  }

  ParseResult forLoop() {
    SmallVector<OpAsmParser::Argument> arguments(1);
    SmallVector<Unresolved> bounds(3);
    if (parser_.parseArgument(arguments[0]) || parser_.parseEqual() ||
        parser_.parseOperand(bounds[0]) || parser_.parseKeyword("to") ||
        parser_.parseOperand(bounds[1]) || parser_.parseKeyword("step") ||
        parser_.parseOperand(bounds[2]))
      return failure();
    if (succeeded(parser_.parseOptionalKeyword("iter_args")) &&
        (variables(arguments) || parser_.parseArrowTypeList(state_.types)))
      return failure();
    Type counter = builder().getIndexType();
    if (succeeded(parser_.parseOptionalColon()) && parser_.parseType(counter)) return failure();
    if (arguments.size() != state_.types.size() + 1)
      return parser_.emitError(parser_.getNameLoc(), "a type for each variable is missing");
    arguments[0].type = counter;
    for (auto [argument, type] : llvm::zip(llvm::drop_begin(arguments), state_.types))
      argument.type = type;
    const SmallVector<Type> three(3, counter);
    return failure(resolve(bounds, three) || resolve(state_.types) || region(arguments) ||
                   parser_.parseOptionalAttrDict(state_.attributes));
  }

  ParseResult whileLoop() {
    SmallVector<OpAsmParser::Argument> arguments;
    FunctionType type;
    if (variables(arguments) || parser_.parseColonType(type)) return failure();
    if (arguments.size() != type.getNumInputs())
      return parser_.emitError(parser_.getNameLoc(), "a type for each variable is missing");
    for (auto [argument, each] : llvm::zip(arguments, type.getInputs())) argument.type = each;
    state_.addTypes(type.getResults());
    return failure(resolve(type.getInputs()) || region(arguments) || parser_.parseKeyword("do") ||
                   region({}) || parser_.parseOptionalAttrDictWithKeyword(state_.attributes));
  }

  ParseResult choice() {
    if (operand() || resolve({builder().getI1Type()}) ||
        parser_.parseOptionalArrowTypeList(state_.types) || region({}))
      return failure();
    if (failed(parser_.parseOptionalKeyword("else"))) {
      state_.addRegion();
      return parser_.parseOptionalAttrDict(state_.attributes);
    }
    return failure(region({}) || parser_.parseOptionalAttrDict(state_.attributes));
  }

  // "^bb1(%0 : i32)"; the number of values for the block.
  ParseResult successor(int32_t& count) {
    mlir::Block* block = nullptr;
    SmallVector<Value> values;
    if (parser_.parseSuccessorAndUseList(block, values)) return failure();
    state_.addSuccessors(block);
    state_.addOperands(values);
    count = static_cast<int32_t>(values.size());
    return success();
  }

  ParseResult branch() {
    int32_t count = 0;
    return failure(successor(count) || parser_.parseOptionalAttrDict(state_.attributes));
  }

  ParseResult conditionalBranch() {
    int32_t yes = 0, no = 0;
    if (operand() || resolve({builder().getI1Type()}) || parser_.parseComma() || successor(yes) ||
        parser_.parseComma() || successor(no) || parser_.parseOptionalAttrDict(state_.attributes))
      return failure();
    state_.addAttribute("operandSegmentSizes", builder().getDenseI32ArrayAttr({1, yes, no}));
    return success();
  }
};

}  // namespace

OptionalParseResult parseRegionSyntax(OpAsmParser& parser, OperationState& state) {
  return RegionReader(parser, state).read();
}

}  // namespace vintage::golden::kept
