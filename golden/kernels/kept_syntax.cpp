#include "golden/kernels/kept_syntax.h"

#include <string>
#include <vector>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace vintage::golden::kept {
using namespace mlir;

namespace {

// Where a keyword stands for a number: its attribute, and the keywords by their numbers. Others are
// kept as text.
struct Keywords {
  StringRef operation, attribute;
  std::vector<StringRef> names;  // "" where no keyword has the number.
};
const std::vector<Keywords>& keywords() {
  static const std::vector<Keywords> all = {
      {"arith.cmpi",
       "predicate",
       {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}},
      {"arith.cmpf",
       "predicate",
       {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule",
        "une", "uno", "true"}},
      {"tt.get_program_id", "axis", {"x", "y", "z"}},
      {"tt.get_num_programs", "axis", {"x", "y", "z"}},
      {"tt.atomic_rmw",
       "atomic_rmw_op",
       {"", "and", "or", "xor", "add", "fadd", "max", "min", "umax", "umin", "exch"}},
      {"tt.dot", "inputPrecision", {"tf32", "tf32x3", "ieee", "bf16x3", "bf16x6"}},
      {"tt.fp_to_fp", "rounding", {"rtz", "rtne"}},
  };
  return all;
}

// How an operation's types are written behind the colon.
enum class Types {
  kAll,         // "T": of all operands and of the result.
  kTo,          // "T to U": of the operand and of the result.
  kArrow,       // "T -> U": of all operands and of all results.
  kResult,      // "T": of the result.
  kNothing,     // "T": of all operands; there is no result.
  kFirst,       // "T, U": of the operands; the first is the result's.
  kFunction,    // "(T, U) -> V"
  kComparison,  // "T": of the operands.
  kSelect,      // "T", or that of the condition in front.
  kProduct,     // "A * B -> C"
  kPointers,    // "P": of the pointers; the other operands are what they point to, and a mask.
};

Types typesOf(StringRef name) {
  const auto [dialect, operation] = name.split('.');
  if (name == "arith.select") return Types::kSelect;
  if (dialect == "arith" && operation.starts_with("cmp")) return Types::kComparison;
  if (dialect == "arith" && (operation.starts_with("ext") || operation.starts_with("trunc") ||
                             operation.starts_with("index_cast") || operation == "bitcast" ||
                             operation.ends_with("tofp") || operation.starts_with("fpto")))
    return Types::kTo;
  return llvm::StringSwitch<Types>(name)
      .Cases({"tt.make_range", "tt.get_program_id", "tt.get_num_programs", "ub.poison"},
             Types::kResult)
      .Cases({"tt.splat", "tt.unsplat", "tt.broadcast", "tt.expand_dims", "tt.reshape", "tt.trans",
              "tt.cat", "tt.join", "tt.split", "tt.bitcast", "tt.fp_to_fp", "tt.int_to_ptr",
              "tt.ptr_to_int"},
             Types::kArrow)
      .Case("tt.addptr", Types::kFirst)
      .Case("tt.assert", Types::kNothing)
      .Cases({"tt.atomic_rmw", "tt.atomic_cas", "tt.extern_elementwise"}, Types::kFunction)
      .Case("tt.dot", Types::kProduct)
      .Cases({"tt.load", "tt.store"}, Types::kPointers)
      .Default(Types::kAll);
}

// The type of `shaped` with other elements.
Type withElements(Type shaped, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(shaped))
    return RankedTensorType::get(tensor.getShape(), element);
  return element;
}

class Reader : OperandReader {
 public:
  Reader(OpAsmParser& parser, OperationState& state)
      : OperandReader(parser, state), name_(state.name.getStringRef()) {}

  ParseResult read() {
    if (name_ == "arith.constant") return constant();
    if (name_ == "tt.call") return call();
    if (name_ == "tt.print") return print();
    if (name_ == "tt.elementwise_inline_asm")
      return parser_.emitError(parser_.getNameLoc(), "a GPU's assembly is unknown here");
    if (name_ == "scf.yield" || name_ == "scf.condition" || name_.ends_with("return"))
      return terminator();
    return failure(items() || hints() || parser_.parseOptionalAttrDict(state_.attributes) ||
                   parser_.parseColon() || types(typesOf(name_)));
  }

 private:
  // The values that a region returns; with scf.condition also whether its loop goes on.
  ParseResult terminator() {
    SmallVector<Type> types;
    if (name_ == "scf.condition") {
      if (parser_.parseLParen() || operand() || parser_.parseRParen()) return failure();
      types.push_back(builder().getI1Type());
    }
    if (parser_.parseOperandList(operands_) ||
        (operands_.size() > types.size() && parser_.parseColonTypeList(types)))
      return failure();
    return resolve(types);
  }

  // Operands, and keywords in front and behind: "olt, %0, %1", "%0, inputPrecision = tf32".
  ParseResult items() {
    do {
      Unresolved next;
      std::string text;
      const OptionalParseResult found = parser_.parseOptionalOperand(next);
      if (found.has_value()) {
        if (failed(*found)) return failure();
        operands_.push_back(next);
      } else if (succeeded(parser_.parseOptionalString(&text))) {
        state_.addAttribute("message", builder().getStringAttr(text));
      } else {
        StringRef keyword;
        if (failed(parser_.parseOptionalKeyword(&keyword))) break;
        if (succeeded(parser_.parseOptionalEqual())) {
          StringRef value;
          if (parser_.parseKeyword(&value)) return failure();
          say(keyword, value);
        } else {
          say("", keyword);
        }
      }
    } while (succeeded(parser_.parseOptionalComma()));
    return success();
  }

  // "fastmath<fast>", "overflow<nsw>", "evictionPolicy = evict_first": the engine needs none.
  ParseResult hints() {
    StringRef keyword;
    while (succeeded(parser_.parseOptionalKeyword(&keyword))) {
      if (succeeded(parser_.parseOptionalEqual())) {
        if (parser_.parseKeyword(&keyword)) return failure();
      } else if (parser_.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                                 [&] { return parser_.parseKeyword(&keyword); })) {
        return failure();
      }
    }
    return success();
  }

  // A keyword; `attribute` is empty where the operation's own place says what it means.
  void say(StringRef attribute, StringRef keyword) {
    for (const Keywords& each : keywords()) {
      if (each.operation != name_ || (!attribute.empty() && attribute != each.attribute) ||
          state_.attributes.get(each.attribute))
        continue;
      const auto known = llvm::find(each.names, keyword);
      if (known == each.names.end()) break;
      return state_.addAttribute(
          each.attribute,
          builder().getI32IntegerAttr(static_cast<int32_t>(known - each.names.begin())));
    }
    state_.addAttribute(attribute.empty() ? keyword : attribute, builder().getStringAttr(keyword));
  }

  ParseResult types(Types kind) {
    if (kind == Types::kFunction) {
      FunctionType type;
      if (parser_.parseType(type)) return failure();
      state_.addTypes(type.getResults());
      return resolve(type.getInputs());
    }
    Type first;
    if (parser_.parseType(first)) return failure();
    SmallVector<Type> all(operands_.size(), first);
    switch (kind) {
      case Types::kAll:
        state_.addTypes(first);
        return resolve(all);
      case Types::kResult:
        state_.addTypes(first);
        return success();
      case Types::kComparison:
        state_.addTypes(withElements(first, builder().getI1Type()));
        return resolve(all);
      case Types::kTo:
      case Types::kArrow: {
        Type result;
        if (kind == Types::kTo ? parser_.parseKeyword("to") : parser_.parseArrow())
          return failure();
        if (parser_.parseType(result)) return failure();
        state_.types.append(name_ == "tt.split" ? 2 : 1, result);
        return resolve(all);
      }
      case Types::kSelect: {
        Type result = first;
        const bool isStated = succeeded(parser_.parseOptionalComma());
        if (isStated && parser_.parseType(result)) return failure();
        state_.addTypes(result);
        return resolve({isStated ? first : builder().getI1Type(), result, result});
      }
      case Types::kProduct: {
        Type right, result;
        if (parser_.parseStar() || parser_.parseType(right) || parser_.parseArrow() ||
            parser_.parseType(result))
          return failure();
        state_.addTypes(result);
        return resolve({first, right, result});
      }
      case Types::kPointers:
        return pointers(first);
      case Types::kNothing:
        return resolve(all);
      case Types::kFirst: {
        Type second;
        if (parser_.parseComma() || parser_.parseType(second)) return failure();
        state_.addTypes(first);
        return resolve({first, second});
      }
      case Types::kFunction:
        break;
    }
    return failure();
  }

  // Pointers, and for a store what is stored; perhaps a mask, and for a load other values.
  ParseResult pointers(Type type) {
    const auto pointer = dyn_cast<OpaqueType>(getElementTypeOrSelf(type));
    StringRef target = pointer ? pointer.getTypeData() : StringRef();
    if (!target.consume_front("ptr<"))
      return parser_.emitError(parser_.getNameLoc()) << type << " is no pointer";
    target = target.take_until([](char c) { return c == ',' || c == '>'; });
    const Type element = parseType(target, builder().getContext());
    if (!element) return failure();
    if (!TensorType::isValidElementType(element))
      return parser_.emitError(parser_.getNameLoc()) << type << " points to no numbers";
    const bool isLoad = name_ == "tt.load";
    const Type value = withElements(type, element);
    const Type mask = withElements(type, builder().getI1Type());
    SmallVector<Type> all =
        isLoad ? SmallVector<Type>{type, mask, value} : SmallVector<Type>{type, value, mask};
    all.truncate(std::min(all.size(), operands_.size()));
    if (isLoad) {
      state_.addTypes(value);
      const auto has = [&](size_t number) { return operands_.size() > number ? 1 : 0; };
      state_.addAttribute("operandSegmentSizes",
                          builder().getDenseI32ArrayAttr({1, has(1), has(2)}));
    }
    return resolve(all);
  }

  ParseResult constant() {
    Attribute value;
    if (parser_.parseOptionalAttrDict(state_.attributes) || parser_.parseAttribute(value))
      return failure();
    const auto typed = dyn_cast<TypedAttr>(value);
    if (!typed) return parser_.emitError(parser_.getNameLoc(), "its value has no type");
    state_.addAttribute("value", value);
    state_.addTypes(typed.getType());
    return success();
  }

  ParseResult call() {
    FlatSymbolRefAttr callee;
    FunctionType type;
    if (parser_.parseAttribute(callee, "callee", state_.attributes) ||
        parser_.parseOperandList(operands_, AsmParser::Delimiter::Paren) ||
        parser_.parseOptionalAttrDict(state_.attributes) || parser_.parseColonType(type))
      return failure();
    state_.addTypes(type.getResults());
    return resolve(type.getInputs());
  }

  // A text, then values.
  ParseResult print() {
    std::string prefix;
    if (parser_.parseString(&prefix) || parser_.parseOptionalAttrDict(state_.attributes))
      return failure();
    SmallVector<Type> types;
    if (succeeded(parser_.parseOptionalColon()) &&
        (parser_.parseOperandList(operands_) || parser_.parseColonTypeList(types)))
      return failure();
    return resolve(types);
  }

  const StringRef name_;
};

}  // namespace

ParseResult parseOwnSyntax(OpAsmParser& parser, OperationState& state) {
  const OptionalParseResult withRegions = parseRegionSyntax(parser, state);
  return withRegions.has_value() ? *withRegions : Reader(parser, state).read();
}

}  // namespace vintage::golden::kept
