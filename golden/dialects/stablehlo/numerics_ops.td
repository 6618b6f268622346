// Linear algebra, Fourier transforms and random numbers.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_CholeskyOp : Stablehlo_Op<"cholesky"> {
  let arguments = (ins FloatComplexOrQuantizedTensor:$a, FalseByDefault:$lower);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a),
      type($result))
  }];
  let shape = ShapeIsPairwise;
}

def Stablehlo_FftOp : Stablehlo_Op<"fft"> {
  let arguments = (ins
      FloatOrComplexTensor:$operand,
      Stablehlo_FftTypeAttr:$fft_type,
      Dimensions:$fft_length);
  let syntax = "$operand `,` `type` `=` $fft_type `,` `length` `=` custom<Dimensions>($fft_length)";
}

def Stablehlo_RngOp : Stablehlo_Op<"rng"> {
  let arguments = (ins
      BoolIntegerOrFloatScalar:$a,
      BoolIntegerOrFloatScalar:$b,
      StaticDimensionVector:$shape,
      Stablehlo_RngDistributionAttr:$rng_distribution);
  let syntax = "$a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution";
}

def Stablehlo_RngBitGeneratorOp : Stablehlo_Op<"rng_bit_generator"> {
  let arguments = (ins
      Stablehlo_RngAlgorithmAttr:$rng_algorithm,
      IntegerOrFloatTensor:$initial_state);
  let results = (outs Stablehlo_AnyTensor:$output_state, Stablehlo_AnyTensor:$output);
  let syntax = "$initial_state `,` `algorithm` `=` $rng_algorithm";
}

def Stablehlo_TriangularSolveOp : Stablehlo_Op<"triangular_solve"> {
  let arguments = (ins
      FloatOrComplexTensor:$a,
      FloatOrComplexTensor:$b,
      BoolAttr:$left_side,
      BoolAttr:$lower,
      BoolAttr:$unit_diagonal,
      Stablehlo_TransposeAttr:$transpose_a);
}
