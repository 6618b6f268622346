// The `chlo` dialect: operations that a client writes and a compiler expands,
// such as special functions and NumPy-style broadcasting.

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "golden/dialects/EnumCases.td"
include "golden/dialects/Fields.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "golden/dialects/stablehlo/StablehloBase.td"

def Chlo_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::mlir::chlo";
  let useDefaultAttributePrinterParser = 1;
}

// Enums print as #chlo<comparison_direction NE>.
class Chlo_EnumAttr<SharedEnum shared>
    : EnumAttr<Chlo_Dialect, !cast<EnumInfo>("Chlo_" # shared.className # "Enum"), shared.keyword> {
  let assemblyFormat = "$value";
}
foreach shared = [Shared_ComparisonDirection, Shared_ComparisonType, Shared_Precision] in {
  def "Chlo_" # shared.className # "Enum" : DialectEnum<shared, Chlo_Dialect>;
  def "Chlo_" # shared.className : Chlo_EnumAttr<shared>;
}

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
  let extraClassDeclaration = FieldList<parameters, "RaggedDotDimensionNumbersAttr">.declarations;
}

class Chlo_Op<string mnemonic, list<Trait> traits = [Pure]> : Op<Chlo_Dialect, mnemonic, traits> {
  ShapeRule shape = ShapeIsElsewhere;
}

class Chlo_UnaryOp<string mnemonic> : Chlo_Op<mnemonic> {
  let arguments = (ins AnyTensor:$operand);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let shape = ShapeIsElementwise;
}

def Chlo_AsinAcosKernelOp : Chlo_UnaryOp<"_asin_acos_kernel">;
foreach mnemonic = ["acos", "acosh", "asin", "asinh", "atan", "atanh",
                    "bessel_i1e", "conj", "cosh", "digamma", "erf", "erf_inv", "erfc",
                    "is_inf", "is_neg_inf", "is_pos_inf", "lgamma", "sinh", "square", "tan"] in
  def "Chlo_" # CamelCase<mnemonic>.text # "Op" : Chlo_UnaryOp<mnemonic>;

class Chlo_BinaryOp<string mnemonic, string first, string second> : Chlo_Op<mnemonic> {
  let arguments = !dag(ins, [AnyTensor, AnyTensor], [first, second]);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$" # first # " `,` $" # second # " attr-dict `:` type($" # first #
                       ") `,` type($" # second # ") `->` type($result)";
  let shape = ShapeIsElementwise;
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
  let shape = ShapeIsBroadcast;
}

foreach mnemonic = ["add", "and", "atan2", "complex", "divide", "maximum", "minimum",
                    "multiply", "next_after", "or", "polygamma", "power", "remainder",
                    "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract",
                    "xor", "zeta"] in
  def "Chlo_Broadcast" # CamelCase<mnemonic>.text # "Op" : Chlo_BroadcastOp<mnemonic>;

def Chlo_BroadcastCompareOp : Chlo_Op<"broadcast_compare"> {
  let arguments = (ins AnyTensor:$lhs, AnyTensor:$rhs,
                       OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
                       Chlo_ComparisonDirection:$comparison_direction,
                       OptionalAttr<Chlo_ComparisonType>:$compare_type);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)
  }];
  let shape = ShapeIsBroadcast;
}

def Chlo_BroadcastSelectOp : Chlo_Op<"broadcast_select"> {
  let arguments = (ins AnyTensor:$pred, AnyTensor:$on_true, AnyTensor:$on_false);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:`
    `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->` type($result)
  }];
  let shape = ShapeIsBroadcast;
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
