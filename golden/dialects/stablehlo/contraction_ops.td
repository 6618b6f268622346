// Dot products and convolutions.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_ConvolutionOp : Stablehlo_Op<"convolution"> {
  let arguments = (ins
      Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      WindowDimensions:$window_strides,
      WindowPadding:$padding,
      WindowDimensions:$lhs_dilation,
      WindowDimensions:$rhs_dilation,
      WindowReversal:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers,
      PositiveI64:$feature_group_count,
      PositiveI64:$batch_group_count,
      OptionalPrecision:$precision_config);
  let syntax = [{`(` operands `)` `dim_numbers` `=`
      custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` `{`
      custom<Window>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
      $window_reversal) `}`}];
  let shapeConstraint = 25;
}

def Stablehlo_DotOp : Stablehlo_Op<"dot"> {
  let arguments = (ins Tensor:$lhs, Stablehlo_AnyTensor:$rhs, OptionalPrecision:$precision_config);
  let syntax = "$lhs `,` $rhs `` custom<Precision>($precision_config)";
  let shapeConstraint = 4;
}

def Stablehlo_DotGeneralOp : Stablehlo_Op<"dot_general"> {
  let arguments = (ins
      Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      Stablehlo_DotDimensionNumbers:$dot_dimension_numbers,
      OptionalPrecision:$precision_config,
      OptionalAlgorithm:$algorithm);
  let syntax = [{$lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
      custom<PrecisionAndAlgorithm>($precision_config, $algorithm)}];
  let second = SecondForm<"1, 6, 0", "an algorithm", Stablehlo_DotAlgorithm.portableParts>;
  let shapeConstraint = 12;
}

def Stablehlo_DynamicConvOp : Stablehlo_Op<"dynamic_conv"> {
  let arguments = (ins
      Tensor:$lhs,
      Tensor:$rhs,
      StaticIntegerMatrix:$padding,
      WindowDimensions:$window_strides,
      WindowDimensions:$lhs_dilation,
      WindowDimensions:$rhs_dilation,
      WindowReversal:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers,
      PositiveI64:$feature_group_count,
      PositiveI64:$batch_group_count,
      OptionalPrecision:$precision_config);
  let second = NoPaddingAttribute;
  let shapeConstraint = 25;
}

def Stablehlo_EinsumOp : Stablehlo_UncheckedOp<"einsum"> {
  let arguments = (ins Tensor:$lhs, Tensor:$rhs, StrAttr:$einsum_config);
  let syntax = "$lhs `,` $rhs `,` `config` `=` $einsum_config";
}

def Stablehlo_UnaryEinsumOp : Stablehlo_UncheckedOp<"unary_einsum"> {
  let arguments = (ins Tensor:$operand, StrAttr:$einsum_config);
  let syntax = "$operand `,` `config` `=` $einsum_config";
}
