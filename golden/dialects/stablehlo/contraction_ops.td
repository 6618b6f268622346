// Dot products and convolutions.

include "golden/dialects/stablehlo/StablehloBase.td"
include "golden/dialects/stablehlo/StablehloAttrs.td"
include "golden/dialects/stablehlo/StablehloTypes.td"

def Stablehlo_ConvolutionOp : Stablehlo_Op<"convolution"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      OptionalAttr<Stablehlo_Dimensions>:$window_strides,
      OptionalAttr<I64ElementsAttr>:$padding,
      OptionalAttr<Stablehlo_Dimensions>:$lhs_dilation,
      OptionalAttr<Stablehlo_Dimensions>:$rhs_dilation,
      OptionalAttr<Stablehlo_Booleans>:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers,
      Stablehlo_PositiveI64:$feature_group_count,
      Stablehlo_PositiveI64:$batch_group_count,
      OptionalAttr<Stablehlo_PrecisionConfig>:$precision_config);
  let results = (outs Stablehlo_AnyTensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` custom<Window>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
      $window_reversal) `}` attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DotOp : Stablehlo_Op<"dot"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      OptionalAttr<Stablehlo_PrecisionConfig>:$precision_config);
  let results = (outs Stablehlo_AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<Precision>($precision_config) attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DotGeneralOp : Stablehlo_Op<"dot_general"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_AnyTensor:$rhs,
      Stablehlo_DotDimensionNumbers:$dot_dimension_numbers,
      OptionalAttr<Stablehlo_PrecisionConfig>:$precision_config,
      OptionalAttr<Stablehlo_DotAlgorithm>:$algorithm);
  let results = (outs Stablehlo_AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
      custom<PrecisionAndAlgorithm>($precision_config, $algorithm) attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Stablehlo_DynamicConvOp : Stablehlo_Op<"dynamic_conv"> {
  let arguments = (ins
      Stablehlo_Tensor:$lhs,
      Stablehlo_Tensor:$rhs,
      Stablehlo_StaticIntegerMatrix:$padding,
      OptionalAttr<Stablehlo_Dimensions>:$window_strides,
      OptionalAttr<Stablehlo_Dimensions>:$lhs_dilation,
      OptionalAttr<Stablehlo_Dimensions>:$rhs_dilation,
      OptionalAttr<Stablehlo_Booleans>:$window_reversal,
      Stablehlo_ConvDimensionNumbers:$dimension_numbers,
      Stablehlo_PositiveI64:$feature_group_count,
      Stablehlo_PositiveI64:$batch_group_count,
      OptionalAttr<Stablehlo_PrecisionConfig>:$precision_config);
  let results = (outs Stablehlo_AnyTensor:$result);
  let hasVerifier = 1;
}

def Stablehlo_EinsumOp : Stablehlo_Op<"einsum"> {
  let arguments = (ins Stablehlo_Tensor:$lhs, Stablehlo_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs Stablehlo_AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands,
      results)
  }];
}

def Stablehlo_UnaryEinsumOp : Stablehlo_Op<"unary_einsum"> {
  let arguments = (ins Stablehlo_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs Stablehlo_AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)
  }];
}
