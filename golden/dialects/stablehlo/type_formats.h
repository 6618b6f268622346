// Custom directives of the formats (*_ops.td) that print and parse types. Texts are upstream's, its
// double spaces included.
#pragma once

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace mlir::stablehlo {

inline ParseResult assignFunctionType(OpAsmParser& parser, SMLoc location, FunctionType function,
                                      ArrayRef<Type*> types) {
  ArrayRef<Type*> operands = types.drop_back();
  if (function.getNumInputs() != operands.size())
    return parser.emitError(location)
           << operands.size() << " operands present, but expected " << function.getNumInputs();
  if (function.getNumResults() != 1)
    return parser.emitError(location)
           << "expected one result type, found " << function.getNumResults();
  for (auto [operand, input] : llvm::zip_equal(operands, function.getInputs())) *operand = input;
  *types.back() = function.getResult(0);
  return success();
}

// The tensor of the elements' real type, or null.
inline Type realTypeOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) return nullptr;
  auto complex = dyn_cast<ComplexType>(tensor.getElementType());
  if (!complex) return nullptr;
  return RankedTensorType::get(tensor.getShape(), complex.getElementType(), tensor.getEncoding());
}

// `: tensor<4xf32>` where all operands have the type of the result, which comes last, otherwise
// `: (operand types) -> result type`.
inline void printSameType(OpAsmPrinter& printer, Operation* operation, TypeRange types) {
  if (llvm::all_equal(types))
    printer.printType(types.back());
  else
    printer.printFunctionalType(operation);
}

inline ParseResult parseSameType(OpAsmParser& parser, ArrayRef<Type*> types) {
  SMLoc location = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type)) return failure();
  if (auto function = dyn_cast<FunctionType>(type))
    return assignFunctionType(parser, location, function, types);
  for (Type* each : types) *each = type;
  return success();
}

template <typename... Types>
void printSameOperandsAndResultType(OpAsmPrinter& printer, Operation* operation, Types... types) {
  printSameType(printer, operation, {types...});
}
template <typename... Types>
ParseResult parseSameOperandsAndResultType(OpAsmParser& parser, Types&... types) {
  return parseSameType(parser, {&types...});
}

// The same with any number of operands.
inline void printVariadicSameType(OpAsmPrinter& printer, Operation* operation, OperandRange,
                                  TypeRange operands, Type result) {
  SmallVector<Type> types(operands);
  types.push_back(result);
  printSameType(printer, operation, types);
}

inline ParseResult parseVariadicSameType(OpAsmParser& parser,
                                         ArrayRef<OpAsmParser::UnresolvedOperand> values,
                                         SmallVectorImpl<Type>& operands, Type& result) {
  operands.resize(values.size());
  SmallVector<Type*> pointers;
  for (Type& operand : operands) pointers.push_back(&operand);
  pointers.push_back(&result);
  return parseSameType(parser, pointers);
}

// Each operand has the type of its result.
inline void printPairwiseType(OpAsmPrinter& printer, Operation*, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

inline ParseResult parsePairwiseType(OpAsmParser& parser, SmallVectorImpl<Type>& operands,
                                     SmallVectorImpl<Type>& results) {
  if (parser.parseTypeList(operands)) return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

// `tensor<4xi1>, tensor<4xf32>`: the predicate's type and that of the rest.
inline void printSelectType(OpAsmPrinter& printer, Operation* operation, Type predicate,
                            Type onTrue, Type onFalse, Type result) {
  if (onTrue != result || onFalse != result)
    printer.printFunctionalType(operation);
  else
    printer << predicate << ", " << result;
}

inline ParseResult parseSelectType(OpAsmParser& parser, Type& predicate, Type& onTrue,
                                   Type& onFalse, Type& result) {
  SMLoc location = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types)) return failure();
  if (types.size() == 2) {
    predicate = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  auto function = types.size() == 1 ? dyn_cast<FunctionType>(types[0]) : nullptr;
  if (!function)
    return parser.emitError(location, "expected a function type or a list of two types");
  return assignFunctionType(parser, location, function, {&predicate, &onTrue, &onFalse, &result});
}

// `tensor<4xcomplex<f32>>`: the parts have the float type of the result.
inline void printComplexType(OpAsmPrinter& printer, Operation* operation, Type real, Type imaginary,
                             Type result) {
  Type part = realTypeOf(result);
  if (real != part || imaginary != part)
    printer.printFunctionalType(operation);
  else
    printer.printType(result);
}

inline ParseResult parseComplexType(OpAsmParser& parser, Type& real, Type& imaginary,
                                    Type& result) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(result)) return failure();
  if (auto function = dyn_cast<FunctionType>(result))
    return assignFunctionType(parser, location, function, {&real, &imaginary, &result});
  real = imaginary = realTypeOf(result);
  if (!real)
    return parser.emitError(location)
           << "expected a ranked tensor with complex elements, found " << result;
  return success();
}

// The result is the tuple of the operands' types.
inline void printTupleType(OpAsmPrinter& printer, Operation*, TypeRange, Type result) {
  printer.printType(result);
}

inline ParseResult parseTupleType(OpAsmParser& parser, SmallVectorImpl<Type>& operands,
                                  Type& result) {
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseType(result)) return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple) return parser.emitError(location) << "expected a tuple type, found " << result;
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

}  // namespace mlir::stablehlo
