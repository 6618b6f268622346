// Elementwise operations of two or three operands.

include "golden/dialects/stablehlo/StablehloAttrs.td"

// `%r = stablehlo.add %a, %b : tensor<4xf32>`, or `: (types) -> type` where they differ.
class Stablehlo_BinaryOp<string mnemonic, Type type> : Stablehlo_Op<mnemonic> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs attr-dict `:`
      custom<SameOperandsAndResultType>(type($lhs), type($rhs), type($result))
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::mlir::stablehlo::verifySameTypes(*this); }
  }];
  let shape = ShapeIsElementwise;
}

class Stablehlo_CommutativeOp<string mnemonic, Type type> : Stablehlo_BinaryOp<mnemonic, type> {
  let commutative = 1;
}

def Stablehlo_AddOp : Stablehlo_CommutativeOp<"add", Stablehlo_AnyTensor>;
def Stablehlo_AndOp : Stablehlo_CommutativeOp<"and", BoolOrIntegerTensor>;
def Stablehlo_Atan2Op : Stablehlo_BinaryOp<"atan2", FloatComplexOrQuantizedTensor>;
def Stablehlo_DivideOp : Stablehlo_BinaryOp<"divide", NumericTensor>;
def Stablehlo_MaximumOp : Stablehlo_CommutativeOp<"maximum", Tensor>;
def Stablehlo_MinimumOp : Stablehlo_CommutativeOp<"minimum", Tensor>;
def Stablehlo_MultiplyOp : Stablehlo_CommutativeOp<"multiply", Tensor>;
def Stablehlo_OrOp : Stablehlo_CommutativeOp<"or", BoolOrIntegerTensor>;
def Stablehlo_PowerOp : Stablehlo_BinaryOp<"power", NumericTensor>;
def Stablehlo_RemainderOp : Stablehlo_BinaryOp<"remainder", NumericTensor>;
def Stablehlo_ShiftLeftOp : Stablehlo_BinaryOp<"shift_left", IntegerTensor>;
def Stablehlo_ShiftRightArithmeticOp : Stablehlo_BinaryOp<"shift_right_arithmetic", IntegerTensor>;
def Stablehlo_ShiftRightLogicalOp : Stablehlo_BinaryOp<"shift_right_logical", IntegerTensor>;
def Stablehlo_SubtractOp : Stablehlo_BinaryOp<"subtract", NumericTensor>;
def Stablehlo_XorOp : Stablehlo_CommutativeOp<"xor", BoolOrIntegerTensor>;

// `: tensor<4xi1>, tensor<4xf32>` are the types of the predicate and of the rest.
def Stablehlo_SelectOp : Stablehlo_Op<"select"> {
  let arguments = (ins BoolTensor:$pred, Tensor:$on_true, Tensor:$on_false);
  let results = (outs Tensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:`
      custom<SelectType>(type($pred), type($on_true), type($on_false), type($result))
  }];
  let shape = ShapeIsElementwise;
}

def Stablehlo_ClampOp : Stablehlo_Op<"clamp"> {
  let arguments = (ins Tensor:$min, Tensor:$operand, Tensor:$max);
  let results = (outs Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:`
      custom<SameOperandsAndResultType>(type($min), type($operand), type($max), type($result))
  }];
  let shape = ShapeIsElementwise;
}

def Stablehlo_CompareOp : Stablehlo_Op<"compare"> {
  let arguments = (ins
      Tensor:$lhs,
      Tensor:$rhs,
      Stablehlo_ComparisonDirectionAttr:$comparison_direction,
      OptionalComparisonType:$compare_type);
  let results = (outs BoolTensor:$result);
  let syntax = "$comparison_direction `,` $lhs `,` $rhs (`,` $compare_type^)?";
  let shape = ShapeIsElementwise;
}

// `: tensor<4xcomplex<f32>>` stands for operands of the matching float type.
def Stablehlo_ComplexOp : Stablehlo_Op<"complex"> {
  let arguments = (ins Float32Or64Tensor:$lhs, Float32Or64Tensor:$rhs);
  let results = (outs ComplexTensor:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<ComplexType>(type($lhs), type($rhs), type($result))
  }];
  let shape = ShapeIsElementwise;
}
