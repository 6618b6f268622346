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
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` custom<Window>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
      $window_reversal) `}` attr-dict `:` functional-type(operands, results)
  }];
}

def Stablehlo_DotOp : Stablehlo_Op<"dot"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      Stablehlo_OptionalPrecision:$precision_config);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<Precision>($precision_config) attr-dict `:`
      functional-type(operands, results)
  }];
}

def Stablehlo_DotGeneralOp : Stablehlo_Op<"dot_general"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      Stablehlo_DotDimensionNumbers:$dot_dimension_numbers,
      Stablehlo_OptionalPrecision:$precision_config,
      Stablehlo_OptionalAlgorithm:$algorithm);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
      custom<PrecisionAndAlgorithm>($precision_config, $algorithm) attr-dict `:`
      functional-type(operands, results)
  }];
  let second = Stablehlo_SecondForm<"1, 6, 0", "an algorithm",
                                    Stablehlo_DotAlgorithm.portableParts>;
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
}

def Stablehlo_EinsumOp : Stablehlo_Op<"einsum"> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs, StrAttr:$einsum_config);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands,
      results)
  }];
  let hasVerifier = 0;
}

def Stablehlo_UnaryEinsumOp : Stablehlo_Op<"unary_einsum"> {
  let arguments = (ins Stablehlo_Tensor:$operand, StrAttr:$einsum_config);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 0;
}
