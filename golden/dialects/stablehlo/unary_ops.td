// Elementwise operations of one operand.

include "golden/dialects/stablehlo/StablehloAttrs.td"

// `%r = stablehlo.abs %x : tensor<4xf32>`, or `: (operand type) -> result type`
// where the two differ.
class Stablehlo_UnaryOp<string mnemonic, Type operandType, Type resultType = operandType>
    : Stablehlo_Op<mnemonic> {
  let arguments = (ins operandType:$operand);
  let results = (outs resultType:$result);
  let assemblyFormat = [{
    $operand attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() { return ::mlir::stablehlo::verifyUnary(*this); }
  }];
  let shape = ShapeIsElementwise;
}

// A unary operation that may state the accuracy of its result.
class Stablehlo_AccuracyOp<string mnemonic>
    : Stablehlo_UnaryOp<mnemonic, FloatComplexOrQuantizedTensor> {
  let arguments = (ins FloatComplexOrQuantizedTensor:$operand, OptionalAccuracy:$result_accuracy);
  let second = SecondForm<"1, 10, 0", "a result accuracy", ["result_accuracy"]>;
}

def Stablehlo_AbsOp : Stablehlo_UnaryOp<"abs", SignedNumericTensor>;
def Stablehlo_CeilOp : Stablehlo_UnaryOp<"ceil", FloatOrQuantizedTensor>;
def Stablehlo_ConvertOp : Stablehlo_UnaryOp<"convert", NonQuantizedTensor>;
def Stablehlo_CountLeadingZerosOp : Stablehlo_UnaryOp<"count_leading_zeros", IntegerTensor>;
def Stablehlo_FloorOp : Stablehlo_UnaryOp<"floor", FloatOrQuantizedTensor>;
def Stablehlo_ImagOp : Stablehlo_UnaryOp<"imag", FloatOrComplexTensor, FloatTensor>;
def Stablehlo_NegateOp : Stablehlo_UnaryOp<"negate", NumericTensor>;
def Stablehlo_NotOp : Stablehlo_UnaryOp<"not", BoolOrIntegerTensor>;
def Stablehlo_PopcntOp : Stablehlo_UnaryOp<"popcnt", IntegerTensor>;
def Stablehlo_RealOp : Stablehlo_UnaryOp<"real", FloatOrComplexTensor, FloatTensor>;
def Stablehlo_RoundNearestAfzOp : Stablehlo_UnaryOp<"round_nearest_afz", FloatOrQuantizedTensor>;
def Stablehlo_RoundNearestEvenOp : Stablehlo_UnaryOp<"round_nearest_even", FloatOrQuantizedTensor>;
def Stablehlo_SignOp : Stablehlo_UnaryOp<"sign", SignedNumericTensor>;
def Stablehlo_UniformDequantizeOp
    : Stablehlo_UnaryOp<"uniform_dequantize", QuantizedTensor, FloatTensor>;
def Stablehlo_UniformQuantizeOp
    : Stablehlo_UnaryOp<"uniform_quantize", FloatOrAnyQuantizedTensor, QuantizedTensor>;

foreach mnemonic = ["cbrt", "cosine", "exponential_minus_one", "log", "log_plus_one", "logistic",
                    "rsqrt", "sine", "sqrt", "tanh"] in
  def "Stablehlo_" # CamelCase<mnemonic>.text # "Op" : Stablehlo_AccuracyOp<mnemonic>;
def Stablehlo_ExponentialOp : Stablehlo_AccuracyOp<"exponential"> {
  let second = SecondForm<"1, 9, 0", "a result accuracy", ["result_accuracy"]>;
}
def Stablehlo_TanOp : Stablehlo_AccuracyOp<"tan"> {
  let since = "1, 4, 0";
}

def Stablehlo_BitcastConvertOp : Stablehlo_Op<"bitcast_convert"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand);
  let syntax = "$operand";
}

def Stablehlo_IsFiniteOp : Stablehlo_Op<"is_finite"> {
  let arguments = (ins FloatOrQuantizedTensor:$x);
  let results = (outs BoolTensor:$y);
  let syntax = "$x";
  let shape = ShapeIsElementwise;
}

def Stablehlo_ReducePrecisionOp : Stablehlo_Op<"reduce_precision"> {
  let arguments = (ins
      FloatOrQuantizedTensor:$operand,
      PositiveI32:$exponent_bits,
      NonNegativeI32:$mantissa_bits);
  let results = (outs FloatOrQuantizedTensor:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits)
      attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($output))
  }];
  let shape = ShapeIsElementwise;
}
