// Reductions, windows, sorting and batch normalization.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_BatchNormGradOp : Stablehlo_Op<"batch_norm_grad"> {
  let arguments = (ins
      FloatOrQuantizedTensor:$operand,
      FloatOrQuantizedVector:$scale,
      FloatOrQuantizedVector:$mean,
      FloatOrQuantizedVector:$variance,
      FloatOrQuantizedTensor:$grad_output,
      F32Attr:$epsilon,
      NonNegativeI64:$feature_index);
  let results = (outs
      Stablehlo_AnyTensor:$grad_operand,
      Stablehlo_AnyTensor:$grad_scale,
      Stablehlo_AnyTensor:$grad_offset);
}

def Stablehlo_BatchNormInferenceOp : Stablehlo_Op<"batch_norm_inference"> {
  let arguments = (ins
      FloatOrQuantizedTensor:$operand,
      FloatOrQuantizedVector:$scale,
      FloatOrQuantizedVector:$offset,
      FloatOrQuantizedVector:$mean,
      FloatOrQuantizedVector:$variance,
      F32Attr:$epsilon,
      NonNegativeI64:$feature_index);
  let shape = ShapeIsPairwise;
}

def Stablehlo_BatchNormTrainingOp : Stablehlo_Op<"batch_norm_training"> {
  let arguments = (ins
      FloatOrQuantizedTensor:$operand,
      FloatOrQuantizedVector:$scale,
      FloatOrQuantizedVector:$offset,
      F32Attr:$epsilon,
      NonNegativeI64:$feature_index);
  let results = (outs
      Stablehlo_AnyTensor:$output,
      Stablehlo_AnyTensor:$batch_mean,
      Stablehlo_AnyTensor:$batch_var);
}

def Stablehlo_MapOp : Stablehlo_Op<"map"> {
  let arguments = (ins Variadic<Tensor>:$inputs, Dimensions:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let shape = ShapeIsPairwise;
}

def Stablehlo_ReduceOp : Stablehlo_VariadicOp<"reduce", [SameVariadicOperandSize]> {
  let arguments = (ins
      Variadic<Tensor>:$inputs,
      Variadic<Tensor>:$init_values,
      Dimensions:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let mayWiden = 1;
  let shapeConstraint = 7;
}

def Stablehlo_ReduceWindowOp : Stablehlo_VariadicOp<"reduce_window", [SameVariadicOperandSize]> {
  let arguments = (ins
      Variadic<Tensor>:$inputs,
      Variadic<Tensor>:$init_values,
      Dimensions:$window_dimensions,
      WindowDimensions:$window_strides,
      WindowDimensions:$base_dilations,
      WindowDimensions:$window_dilations,
      WindowPadding:$padding);
  let regions = (region SizedRegion<1>:$body);
  let mayWiden = 1;
  let shapeConstraint = 15;
}

def Stablehlo_SelectAndScatterOp : Stablehlo_Op<"select_and_scatter"> {
  let arguments = (ins
      Tensor:$operand,
      Tensor:$source,
      Tensor:$init_value,
      OptionalAttr<Dimensions>:$window_dimensions,
      WindowDimensions:$window_strides,
      WindowPadding:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let shape = ShapeIsPairwise;
  let mayWiden = 1;
}

def Stablehlo_SortOp : Stablehlo_VariadicOp<"sort"> {
  let arguments = (ins
      Variadic<Tensor>:$inputs,
      DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
      FalseByDefault:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let shape = ShapeIsPairwise;
}
