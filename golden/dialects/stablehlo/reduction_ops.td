// Reductions, windows, sorting and batch normalization.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_BatchNormGradOp : Stablehlo_Op<"batch_norm_grad"> {
  let arguments = (ins
      Stablehlo_FloatOrQuantizedTensor:$operand,
      Stablehlo_FloatOrQuantizedVector:$scale,
      Stablehlo_FloatOrQuantizedVector:$mean,
      Stablehlo_FloatOrQuantizedVector:$variance,
      Stablehlo_FloatOrQuantizedTensor:$grad_output,
      F32Attr:$epsilon,
      Stablehlo_NonNegativeI64:$feature_index);
  let results = (outs
      Stablehlo_AnyTensor:$grad_operand,
      Stablehlo_AnyTensor:$grad_scale,
      Stablehlo_AnyTensor:$grad_offset);
}

def Stablehlo_BatchNormInferenceOp : Stablehlo_Op<"batch_norm_inference"> {
  let arguments = (ins
      Stablehlo_FloatOrQuantizedTensor:$operand,
      Stablehlo_FloatOrQuantizedVector:$scale,
      Stablehlo_FloatOrQuantizedVector:$offset,
      Stablehlo_FloatOrQuantizedVector:$mean,
      Stablehlo_FloatOrQuantizedVector:$variance,
      F32Attr:$epsilon,
      Stablehlo_NonNegativeI64:$feature_index);
  let shape = ShapeIsPairwise;
}

def Stablehlo_BatchNormTrainingOp : Stablehlo_Op<"batch_norm_training"> {
  let arguments = (ins
      Stablehlo_FloatOrQuantizedTensor:$operand,
      Stablehlo_FloatOrQuantizedVector:$scale,
      Stablehlo_FloatOrQuantizedVector:$offset,
      F32Attr:$epsilon,
      Stablehlo_NonNegativeI64:$feature_index);
  let results = (outs
      Stablehlo_AnyTensor:$output,
      Stablehlo_AnyTensor:$batch_mean,
      Stablehlo_AnyTensor:$batch_var);
}

def Stablehlo_MapOp : Stablehlo_Op<"map"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Stablehlo_Dimensions:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let shape = ShapeIsPairwise;
}

def Stablehlo_ReduceOp : Stablehlo_Op<"reduce", [SameVariadicOperandSize]> {
  let arguments = (ins
      Variadic<Stablehlo_Tensor>:$inputs,
      Variadic<Stablehlo_Tensor>:$init_values,
      Stablehlo_Dimensions:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_AnyTensor>:$results);
  let hasCustomAssemblyFormat = 1;
  let mayWiden = 1;
  let shapeConstraint = 7;
}

def Stablehlo_ReduceWindowOp : Stablehlo_Op<"reduce_window", [SameVariadicOperandSize]> {
  let arguments = (ins
      Variadic<Stablehlo_Tensor>:$inputs,
      Variadic<Stablehlo_Tensor>:$init_values,
      Stablehlo_Dimensions:$window_dimensions,
      Stablehlo_WindowDimensions:$window_strides,
      Stablehlo_WindowDimensions:$base_dilations,
      Stablehlo_WindowDimensions:$window_dilations,
      Stablehlo_WindowPadding:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_AnyTensor>:$results);
  let mayWiden = 1;
  let shapeConstraint = 15;
}

def Stablehlo_SelectAndScatterOp : Stablehlo_Op<"select_and_scatter"> {
  let arguments = (ins
      Stablehlo_Tensor:$operand,
      Stablehlo_Tensor:$source,
      Stablehlo_Tensor:$init_value,
      OptionalAttr<Stablehlo_Dimensions>:$window_dimensions,
      Stablehlo_WindowDimensions:$window_strides,
      Stablehlo_WindowPadding:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let shape = ShapeIsPairwise;
  let mayWiden = 1;
}

def Stablehlo_SortOp : Stablehlo_Op<"sort"> {
  let arguments = (ins
      Variadic<Stablehlo_Tensor>:$inputs,
      DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<Stablehlo_AnyTensor>:$results);
  let shape = ShapeIsPairwise;
}
