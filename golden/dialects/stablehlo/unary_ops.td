// Elementwise operations of one operand.

include "golden/dialects/stablehlo/StablehloBase.td"
include "golden/dialects/stablehlo/StablehloAttrs.td"
include "golden/dialects/stablehlo/StablehloTypes.td"

def Stablehlo_AbsOp : Stablehlo_Op<"abs"> {
  let arguments = (ins Stablehlo_SignedNumericTensor:$operand);
  let results = (outs Stablehlo_SignedNumericTensor:$result);
}

def Stablehlo_BitcastConvertOp : Stablehlo_Op<"bitcast_convert"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand);
  let results = (outs Stablehlo_AnyTensor:$result);
}

def Stablehlo_CbrtOp : Stablehlo_Op<"cbrt"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_CeilOp : Stablehlo_Op<"ceil"> {
  let arguments = (ins Stablehlo_FloatOrQuantizedTensor:$operand);
  let results = (outs Stablehlo_FloatOrQuantizedTensor:$result);
}

def Stablehlo_ConvertOp : Stablehlo_Op<"convert"> {
  let arguments = (ins Stablehlo_NonQuantizedTensor:$operand);
  let results = (outs Stablehlo_NonQuantizedTensor:$result);
}

def Stablehlo_CosineOp : Stablehlo_Op<"cosine"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_CountLeadingZerosOp : Stablehlo_Op<"count_leading_zeros"> {
  let arguments = (ins Stablehlo_IntegerTensor:$operand);
  let results = (outs Stablehlo_IntegerTensor:$result);
}

def Stablehlo_ExponentialOp : Stablehlo_Op<"exponential"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_ExponentialMinusOneOp : Stablehlo_Op<"exponential_minus_one"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_FloorOp : Stablehlo_Op<"floor"> {
  let arguments = (ins Stablehlo_FloatOrQuantizedTensor:$operand);
  let results = (outs Stablehlo_FloatOrQuantizedTensor:$result);
}

def Stablehlo_ImagOp : Stablehlo_Op<"imag"> {
  let arguments = (ins Stablehlo_FloatOrComplexTensor:$operand);
  let results = (outs Stablehlo_FloatTensor:$result);
}

def Stablehlo_IsFiniteOp : Stablehlo_Op<"is_finite"> {
  let arguments = (ins Stablehlo_FloatOrQuantizedTensor:$x);
  let results = (outs Stablehlo_BoolTensor:$y);
}

def Stablehlo_LogOp : Stablehlo_Op<"log"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_LogPlusOneOp : Stablehlo_Op<"log_plus_one"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_LogisticOp : Stablehlo_Op<"logistic"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_NegateOp : Stablehlo_Op<"negate"> {
  let arguments = (ins Stablehlo_NumericTensor:$operand);
  let results = (outs Stablehlo_NumericTensor:$result);
}

def Stablehlo_NotOp : Stablehlo_Op<"not"> {
  let arguments = (ins Stablehlo_BoolOrIntegerTensor:$operand);
  let results = (outs Stablehlo_BoolOrIntegerTensor:$result);
}

def Stablehlo_PopcntOp : Stablehlo_Op<"popcnt"> {
  let arguments = (ins Stablehlo_IntegerTensor:$operand);
  let results = (outs Stablehlo_IntegerTensor:$result);
}

def Stablehlo_RealOp : Stablehlo_Op<"real"> {
  let arguments = (ins Stablehlo_FloatOrComplexTensor:$operand);
  let results = (outs Stablehlo_FloatTensor:$result);
}

def Stablehlo_ReducePrecisionOp : Stablehlo_Op<"reduce_precision"> {
  let arguments = (ins
      Stablehlo_FloatOrQuantizedTensor:$operand,
      Stablehlo_PositiveI32:$exponent_bits,
      Stablehlo_NonNegativeI32:$mantissa_bits);
  let results = (outs Stablehlo_FloatOrQuantizedTensor:$output);
}

def Stablehlo_RoundNearestAfzOp : Stablehlo_Op<"round_nearest_afz"> {
  let arguments = (ins Stablehlo_FloatOrQuantizedTensor:$operand);
  let results = (outs Stablehlo_FloatOrQuantizedTensor:$result);
}

def Stablehlo_RoundNearestEvenOp : Stablehlo_Op<"round_nearest_even"> {
  let arguments = (ins Stablehlo_FloatOrQuantizedTensor:$operand);
  let results = (outs Stablehlo_FloatOrQuantizedTensor:$result);
}

def Stablehlo_RsqrtOp : Stablehlo_Op<"rsqrt"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_SignOp : Stablehlo_Op<"sign"> {
  let arguments = (ins Stablehlo_SignedNumericTensor:$operand);
  let results = (outs Stablehlo_SignedNumericTensor:$result);
}

def Stablehlo_SineOp : Stablehlo_Op<"sine"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_SqrtOp : Stablehlo_Op<"sqrt"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_TanOp : Stablehlo_Op<"tan"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_TanhOp : Stablehlo_Op<"tanh"> {
  let arguments = (ins
      Stablehlo_FloatComplexOrQuantizedTensor:$operand,
      OptionalAttr<Stablehlo_ResultAccuracy>:$result_accuracy);
  let results = (outs Stablehlo_FloatComplexOrQuantizedTensor:$result);
}

def Stablehlo_UniformDequantizeOp : Stablehlo_Op<"uniform_dequantize"> {
  let arguments = (ins Stablehlo_QuantizedTensor:$operand);
  let results = (outs Stablehlo_FloatTensor:$result);
}

def Stablehlo_UniformQuantizeOp : Stablehlo_Op<"uniform_quantize"> {
  let arguments = (ins Stablehlo_FloatOrAnyQuantizedTensor:$operand);
  let results = (outs Stablehlo_QuantizedTensor:$result);
}
