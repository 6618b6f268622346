// The `chlo` dialect: operations that a client writes and a compiler expands,
// such as special functions and NumPy-style broadcasting.
#ifndef VINTAGE_CHLO_OPS
#define VINTAGE_CHLO_OPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::mlir::chlo";
  let summary = "Client operations above StableHLO";
  let useDefaultAttributePrinterParser = 1;
}

// Enums print as #chlo<comparison_direction NE>.
class Chlo_Enum<string className, list<I32EnumAttrCase> cases>
    : I32EnumAttr<className, "", cases> {
  let cppNamespace = "::mlir::chlo";
  let genSpecializedAttr = 0;
}
class Chlo_EnumAttr<EnumInfo info, string mnemonicText>
    : EnumAttr<Chlo_Dialect, info, mnemonicText> {
  let assemblyFormat = "$value";
}

def Chlo_ComparisonDirectionEnum : Chlo_Enum<"ComparisonDirection", [
    I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
    I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def Chlo_ComparisonTypeEnum : Chlo_Enum<"ComparisonType", [
    I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
    I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def Chlo_PrecisionEnum : Chlo_Enum<"Precision", [
    I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;

def Chlo_ComparisonDirection
    : Chlo_EnumAttr<Chlo_ComparisonDirectionEnum, "comparison_direction">;
def Chlo_ComparisonType : Chlo_EnumAttr<Chlo_ComparisonTypeEnum, "comparison_type">;
def Chlo_Precision : Chlo_EnumAttr<Chlo_PrecisionEnum, "precision">;

def Chlo_Dimensions : OptionalArrayRefParameter<"int64_t">;

def Chlo_RaggedDotDimensionNumbers : AttrDef<Chlo_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins Chlo_Dimensions:$lhs_batching_dimensions,
                        Chlo_Dimensions:$rhs_batching_dimensions,
                        Chlo_Dimensions:$lhs_contracting_dimensions,
                        Chlo_Dimensions:$rhs_contracting_dimensions,
                        Chlo_Dimensions:$lhs_ragged_dimensions,
                        Chlo_Dimensions:$rhs_group_dimensions);
  let hasCustomAssemblyFormat = 1;
}

class Chlo_Op<string mnemonic, list<Trait> traits = [Pure]> : Op<Chlo_Dialect, mnemonic, traits>;

class Chlo_UnaryOp<string mnemonic> : Chlo_Op<mnemonic> {
  let arguments = (ins AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}

def Chlo_AsinAcosKernelOp : Chlo_UnaryOp<"_asin_acos_kernel">;
def Chlo_AcosOp : Chlo_UnaryOp<"acos">;
def Chlo_AcoshOp : Chlo_UnaryOp<"acosh">;
def Chlo_AsinOp : Chlo_UnaryOp<"asin">;
def Chlo_AsinhOp : Chlo_UnaryOp<"asinh">;
def Chlo_AtanOp : Chlo_UnaryOp<"atan">;
def Chlo_AtanhOp : Chlo_UnaryOp<"atanh">;
def Chlo_BesselI1eOp : Chlo_UnaryOp<"bessel_i1e">;
def Chlo_ConjOp : Chlo_UnaryOp<"conj">;
def Chlo_CoshOp : Chlo_UnaryOp<"cosh">;
def Chlo_DigammaOp : Chlo_UnaryOp<"digamma">;
def Chlo_ErfOp : Chlo_UnaryOp<"erf">;
def Chlo_ErfInvOp : Chlo_UnaryOp<"erf_inv">;
def Chlo_ErfcOp : Chlo_UnaryOp<"erfc">;
def Chlo_IsInfOp : Chlo_UnaryOp<"is_inf">;
def Chlo_IsNegInfOp : Chlo_UnaryOp<"is_neg_inf">;
def Chlo_IsPosInfOp : Chlo_UnaryOp<"is_pos_inf">;
def Chlo_LgammaOp : Chlo_UnaryOp<"lgamma">;
def Chlo_SinhOp : Chlo_UnaryOp<"sinh">;
def Chlo_SquareOp : Chlo_UnaryOp<"square">;
def Chlo_TanOp : Chlo_UnaryOp<"tan">;

class Chlo_BinaryOp<string mnemonic, string first, string second> : Chlo_Op<mnemonic> {
  let arguments = !dag(ins, [AnyTensor, AnyTensor], [first, second]);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$" # first # " `,` $" # second # " attr-dict `:` type($" # first #
                       ") `,` type($" # second # ") `->` type($result)";
}

def Chlo_MulhiOp : Chlo_BinaryOp<"mulhi", "lhs", "rhs">;
def Chlo_NextAfterOp : Chlo_BinaryOp<"next_after", "x", "y">;
def Chlo_PolygammaOp : Chlo_BinaryOp<"polygamma", "n", "x">;
def Chlo_ZetaOp : Chlo_BinaryOp<"zeta", "x", "q">;

class Chlo_BroadcastOp<string mnemonic> : Chlo_Op<"broadcast_" # mnemonic> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
}

def Chlo_BroadcastAddOp : Chlo_BroadcastOp<"add">;
def Chlo_BroadcastAndOp : Chlo_BroadcastOp<"and">;
def Chlo_BroadcastAtan2Op : Chlo_BroadcastOp<"atan2">;
def Chlo_BroadcastComplexOp : Chlo_BroadcastOp<"complex">;
def Chlo_BroadcastDivideOp : Chlo_BroadcastOp<"divide">;
def Chlo_BroadcastMaximumOp : Chlo_BroadcastOp<"maximum">;
def Chlo_BroadcastMinimumOp : Chlo_BroadcastOp<"minimum">;
def Chlo_BroadcastMultiplyOp : Chlo_BroadcastOp<"multiply">;
def Chlo_BroadcastNextAfterOp : Chlo_BroadcastOp<"next_after">;
def Chlo_BroadcastOrOp : Chlo_BroadcastOp<"or">;
def Chlo_BroadcastPolygammaOp : Chlo_BroadcastOp<"polygamma">;
def Chlo_BroadcastPowerOp : Chlo_BroadcastOp<"power">;
def Chlo_BroadcastRemainderOp : Chlo_BroadcastOp<"remainder">;
def Chlo_BroadcastShiftLeftOp : Chlo_BroadcastOp<"shift_left">;
def Chlo_BroadcastShiftRightArithmeticOp : Chlo_BroadcastOp<"shift_right_arithmetic">;
def Chlo_BroadcastShiftRightLogicalOp : Chlo_BroadcastOp<"shift_right_logical">;
def Chlo_BroadcastSubtractOp : Chlo_BroadcastOp<"subtract">;
def Chlo_BroadcastXorOp : Chlo_BroadcastOp<"xor">;
def Chlo_BroadcastZetaOp : Chlo_BroadcastOp<"zeta">;

def Chlo_BroadcastCompareOp : Chlo_Op<"broadcast_compare"> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       Chlo_ComparisonDirection:$comparison_direction,
                       OptionalAttr<Chlo_ComparisonType>:$compare_type);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
}

def Chlo_BroadcastSelectOp : Chlo_Op<"broadcast_select"> {
  let arguments = (ins AnyTensor:$pred, AnyTensor:$on_true, AnyTensor:$on_false);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
}

def Chlo_ConstantOp : Chlo_Op<"constant"> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyStaticShapeTensor:$output);
  let hasVerifier = 1;
}

def Chlo_ConstantLikeOp : Chlo_Op<"constant_like"> {
  let arguments = (ins TypedAttrInterface:$value, AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
}

def Chlo_RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs, AnyTensor:$group_sizes,
                       Chlo_RaggedDotDimensionNumbers:$ragged_dot_dimension_numbers,
                       OptionalAttr<TypedArrayAttrBase<Chlo_Precision, "precisions">>:$precision_config);
  let results = (outs AnyTensor:$result);
}

def Chlo_ScanOp : Chlo_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let arguments = (ins Variadic<AnyTensor>:$inputs, Variadic<AnyTensor>:$inits,
                       I64Attr:$dimension, OptionalAttr<I64Attr>:$scan_dim_size,
                       DefaultValuedOptionalAttr<BoolAttr, "false">:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<AnyTensor>:$outputs, Variadic<AnyTensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
}

def Chlo_TopKOp : Chlo_Op<"top_k", [Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins AnyTensor:$operand, I64Attr:$k,
                       DefaultValuedOptionalAttr<BoolAttr, "true">:$is_stable);
  let results = (outs AnyTensor:$values, AnyTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k (`,` `is_stable` `=` $is_stable^)? `)` attr-dict `:`
    type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
}

#endif
