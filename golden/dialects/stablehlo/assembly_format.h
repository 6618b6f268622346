// The pieces of pretty syntax that several operations share: the custom<…>
// directives in the .td files. Texts are upstream's, its double spaces included.
#pragma once

#include "golden/dialects/stablehlo/stablehlo_attributes.h"
#include "mlir/IR/OpImplementation.h"

namespace mlir::stablehlo {

// `: tensor<4xf32>` where all operands have the type of the result, which comes last, otherwise
// `: (operand types) -> result type`.
void printSameType(OpAsmPrinter& printer, Operation* operation, TypeRange types);
ParseResult parseSameType(OpAsmParser& parser, llvm::ArrayRef<Type*> types);

template <typename... Types>
void printSameOperandsAndResultType(OpAsmPrinter& printer, Operation* operation, Types... types) {
  printSameType(printer, operation, {types...});
}
template <typename... Types>
ParseResult parseSameOperandsAndResultType(OpAsmParser& parser, Types&... types) {
  return parseSameType(parser, {&types...});
}

// The same with any number of operands.
void printVariadicSameType(OpAsmPrinter& printer, Operation* operation, OperandRange values,
                           TypeRange operands, Type result);
ParseResult parseVariadicSameType(OpAsmParser& parser,
                                  llvm::ArrayRef<OpAsmParser::UnresolvedOperand> values,
                                  llvm::SmallVectorImpl<Type>& operands, Type& result);

// Each operand has the type of its result.
void printPairwiseType(OpAsmPrinter& printer, Operation* operation, TypeRange operands,
                       TypeRange results);
ParseResult parsePairwiseType(OpAsmParser& parser, llvm::SmallVectorImpl<Type>& operands,
                              llvm::SmallVectorImpl<Type>& results);

// `tensor<4xi1>, tensor<4xf32>`: the predicate's type and that of the rest.
void printSelectType(OpAsmPrinter& printer, Operation* operation, Type predicate, Type onTrue,
                     Type onFalse, Type result);
ParseResult parseSelectType(OpAsmParser& parser, Type& predicate, Type& onTrue, Type& onFalse,
                            Type& result);

// `tensor<4xcomplex<f32>>`: the parts have the float type of the result.
void printComplexType(OpAsmPrinter& printer, Operation* operation, Type real, Type imaginary,
                      Type result);
ParseResult parseComplexType(OpAsmParser& parser, Type& real, Type& imaginary, Type& result);

// The result is the tuple of the operands' types.
void printTupleType(OpAsmPrinter& printer, Operation* operation, TypeRange operands, Type result);
ParseResult parseTupleType(OpAsmParser& parser, llvm::SmallVectorImpl<Type>& operands,
                           Type& result);

// `%a, %b, ` in front of a keyword.
void printOperandsBeforeAttribute(OpAsmPrinter& printer, Operation* operation,
                                  OperandRange operands);
ParseResult parseOperandsBeforeAttribute(
    OpAsmParser& parser, llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand>& operands);

// `[0, 1]`
void printDimensions(OpAsmPrinter& printer, Operation* operation, Attribute dimensions);
ParseResult parseDimensions(OpAsmParser& parser, Attribute& dimensions);

// ` [0:2, 0:4:2]`: start, limit, and the stride where it is not 1.
void printSliceRanges(OpAsmPrinter& printer, Operation* operation, Attribute starts,
                      Attribute limits, Attribute strides);
ParseResult parseSliceRanges(OpAsmParser& parser, Attribute& starts, Attribute& limits,
                             Attribute& strides);

// `e5m10`
void printExponentMantissa(OpAsmPrinter& printer, Operation* operation, IntegerAttr exponent,
                           IntegerAttr mantissa);
ParseResult parseExponentMantissa(OpAsmParser& parser, IntegerAttr& exponent,
                                  IntegerAttr& mantissa);

// `, precision = [HIGHEST, DEFAULT]`, or nothing where there is no attribute.
void printPrecision(OpAsmPrinter& printer, Operation* operation, ArrayAttr precision);
ParseResult parsePrecision(OpAsmParser& parser, ArrayAttr& precision);

// The same, and `, algorithm = <…>`.
void printPrecisionAndAlgorithm(OpAsmPrinter& printer, Operation* operation, ArrayAttr precision,
                                DotAlgorithmAttr algorithm);
ParseResult parsePrecisionAndAlgorithm(OpAsmParser& parser, ArrayAttr& precision,
                                       DotAlgorithmAttr& algorithm);

// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`; the former where there are any.
void printDotDimensions(OpAsmPrinter& printer, Operation* operation,
                        DotDimensionNumbersAttr numbers);
ParseResult parseDotDimensions(OpAsmParser& parser, DotDimensionNumbersAttr& numbers);

// `stride = [2, 3], pad = [[1, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 2],
// reverse = [true, false]`, in this order and as far as the attributes are there.
void printWindow(OpAsmPrinter& printer, Operation* operation, Attribute strides,
                 DenseIntElementsAttr padding, Attribute lhsDilation, Attribute rhsDilation,
                 Attribute reversal);
ParseResult parseWindow(OpAsmParser& parser, Attribute& strides, DenseIntElementsAttr& padding,
                        Attribute& lhsDilation, Attribute& rhsDilation, Attribute& reversal);

// `@name`, quoted where it is no identifier.
void printCallTarget(OpAsmPrinter& printer, Operation* operation, StringAttr target);
ParseResult parseCallTarget(OpAsmParser& parser, StringAttr& target);

// ` ({…}, {…})`, or nothing where there are no regions.
void printCompositeRegions(OpAsmPrinter& printer, Operation* operation, RegionRange regions);
ParseResult parseCompositeRegions(OpAsmParser& parser,
                                  llvm::SmallVectorImpl<std::unique_ptr<Region>>& regions);

}  // namespace mlir::stablehlo
