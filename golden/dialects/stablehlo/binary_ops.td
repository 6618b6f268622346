// Elementwise operations of two or three operands.

include "golden/dialects/stablehlo/StablehloBase.td"
include "golden/dialects/stablehlo/StablehloAttrs.td"
include "golden/dialects/stablehlo/StablehloTypes.td"

def Stablehlo_AddOp : Stablehlo_Op<"add"> {
  let arguments = (ins Stablehlo_AnyTensor:$lhs, Stablehlo_AnyTensor:$rhs);
  let results = (outs Stablehlo_AnyTensor:$result);
}

def Stablehlo_AndOp : Stablehlo_Op<"and"> {
  let arguments = (ins Stablehlo_BoolOrIntegerTensor:$lhs, Stablehlo_BoolOrIntegerTensor:$rhs);
  let results = (outs Stablehlo_BoolOrIntegerTensor:$result);
}

def Stablehlo_Atan2Op : Stablehlo_Op<"atan2"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$lhs,
      Stablehlo_FloatComplexOrQuantizedTensor:$rhs);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_ClampOp : Stablehlo_Op<"clamp"> {
  let arguments = (ins Stablehlo_Tensor:$min, Stablehlo_Tensor:$operand, Stablehlo_Tensor:$max);
  let results = (outs Stablehlo_Tensor:$result);
}

def Stablehlo_CompareOp : Stablehlo_Op<"compare"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_Tensor:$rhs,
      Stablehlo_ComparisonDirectionAttr:$comparison_direction,
      OptionalAttr<Stablehlo_ComparisonTypeAttr>:$compare_type);
  let results = (outs Stablehlo_BoolTensor:$result);
}

def Stablehlo_ComplexOp : Stablehlo_Op<"complex"> {
  let arguments = (ins Stablehlo_Float32Or64Tensor:$lhs, Stablehlo_Float32Or64Tensor:$rhs);
  let results = (outs Stablehlo_ComplexTensor:$result);
}

def Stablehlo_DivideOp : Stablehlo_Op<"divide"> {
  let arguments = (ins Stablehlo_NumericTensor:$lhs, Stablehlo_NumericTensor:$rhs);
  let results = (outs Stablehlo_NumericTensor:$result);
}

def Stablehlo_MaximumOp : Stablehlo_Op<"maximum"> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs);
  let results = (outs Stablehlo_Tensor:$result);
}

def Stablehlo_MinimumOp : Stablehlo_Op<"minimum"> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs);
  let results = (outs Stablehlo_Tensor:$result);
}

def Stablehlo_MultiplyOp : Stablehlo_Op<"multiply"> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs);
  let results = (outs Stablehlo_Tensor:$result);
}

def Stablehlo_OrOp : Stablehlo_Op<"or"> {
  let arguments = (ins Stablehlo_BoolOrIntegerTensor:$lhs, Stablehlo_BoolOrIntegerTensor:$rhs);
  let results = (outs Stablehlo_BoolOrIntegerTensor:$result);
}

def Stablehlo_PowerOp : Stablehlo_Op<"power"> {
  let arguments = (ins Stablehlo_NumericTensor:$lhs, Stablehlo_NumericTensor:$rhs);
  let results = (outs Stablehlo_NumericTensor:$result);
}

def Stablehlo_RemainderOp : Stablehlo_Op<"remainder"> {
  let arguments = (ins Stablehlo_NumericTensor:$lhs, Stablehlo_NumericTensor:$rhs);
  let results = (outs Stablehlo_NumericTensor:$result);
}

def Stablehlo_SelectOp : Stablehlo_Op<"select"> {
  let arguments = (ins
      Stablehlo_BoolTensor:$pred,
      Stablehlo_Tensor:$on_true,
      Stablehlo_Tensor:$on_false);
  let results = (outs Stablehlo_Tensor:$result);
}

def Stablehlo_ShiftLeftOp : Stablehlo_Op<"shift_left"> {
  let arguments = (ins Stablehlo_IntegerTensor:$lhs, Stablehlo_IntegerTensor:$rhs);
  let results = (outs Stablehlo_IntegerTensor:$result);
}

def Stablehlo_ShiftRightArithmeticOp : Stablehlo_Op<"shift_right_arithmetic"> {
  let arguments = (ins Stablehlo_IntegerTensor:$lhs, Stablehlo_IntegerTensor:$rhs);
  let results = (outs Stablehlo_IntegerTensor:$result);
}

def Stablehlo_ShiftRightLogicalOp : Stablehlo_Op<"shift_right_logical"> {
  let arguments = (ins Stablehlo_IntegerTensor:$lhs, Stablehlo_IntegerTensor:$rhs);
  let results = (outs Stablehlo_IntegerTensor:$result);
}

def Stablehlo_SubtractOp : Stablehlo_Op<"subtract"> {
  let arguments = (ins Stablehlo_NumericTensor:$lhs, Stablehlo_NumericTensor:$rhs);
  let results = (outs Stablehlo_NumericTensor:$result);
}

def Stablehlo_XorOp : Stablehlo_Op<"xor"> {
  let arguments = (ins Stablehlo_BoolOrIntegerTensor:$lhs, Stablehlo_BoolOrIntegerTensor:$rhs);
  let results = (outs Stablehlo_BoolOrIntegerTensor:$result);
}
