// Dot products and convolutions.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_ConvolutionOp : Stablehlo_Op<"convolution"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      Stablehlo_WindowDimensions:$window_strides,
      Stablehlo_WindowPadding:$padding,
      Stablehlo_WindowDimensions:$lhs_dilation,
      Stablehlo_WindowDimensions:$rhs_dilation,
      Stablehlo_WindowReversal:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers,
      Stablehlo_PositiveI64:$feature_group_count,
      Stablehlo_PositiveI64:$batch_group_count,
      Stablehlo_OptionalPrecision:$precision_config);
  let syntax = [{`(` operands `)` `dim_numbers` `=`
      custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` `{`
      custom<Window>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
      $window_reversal) `}`}];
  let shapeConstraint = 25;
}

def Stablehlo_DotOp : Stablehlo_Op<"dot"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      Stablehlo_OptionalPrecision:$precision_config);
  let syntax = "$lhs `,` $rhs `` custom<Precision>($precision_config)";
  let shapeConstraint = 4;
}

def Stablehlo_DotGeneralOp : Stablehlo_Op<"dot_general"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      Stablehlo_DotDimensionNumbers:$dot_dimension_numbers,
      Stablehlo_OptionalPrecision:$precision_config,
      Stablehlo_OptionalAlgorithm:$algorithm);
  let syntax = [{$lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
      custom<PrecisionAndAlgorithm>($precision_config, $algorithm)}];
  let second = Stablehlo_SecondForm<"1, 6, 0", "an algorithm",
                                    Stablehlo_DotAlgorithm.portableParts>;
  let shapeConstraint = 12;
}

def Stablehlo_DynamicConvOp : Stablehlo_Op<"dynamic_conv"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_Tensor:$rhs,
      Stablehlo_StaticIntegerMatrix:$padding,
      Stablehlo_WindowDimensions:$window_strides,
      Stablehlo_WindowDimensions:$lhs_dilation,
      Stablehlo_WindowDimensions:$rhs_dilation,
      Stablehlo_WindowReversal:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers,
      Stablehlo_PositiveI64:$feature_group_count,
      Stablehlo_PositiveI64:$batch_group_count,
      Stablehlo_OptionalPrecision:$precision_config);
  let second = Stablehlo_NoPaddingAttribute;
  let shapeConstraint = 25;
}

def Stablehlo_EinsumOp : Stablehlo_Op<"einsum"> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs, StrAttr:$einsum_config);
  let syntax = "$lhs `,` $rhs `,` `config` `=` $einsum_config";
  let hasVerifier = 0;
}

def Stablehlo_UnaryEinsumOp : Stablehlo_Op<"unary_einsum"> {
  let arguments = (ins Stablehlo_Tensor:$operand, StrAttr:$einsum_config);
  let syntax = "$operand `,` `config` `=` $einsum_config";
  let hasVerifier = 0;
}
