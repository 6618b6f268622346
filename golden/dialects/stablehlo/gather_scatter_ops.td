// Operations that address elements by index tensors.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_DynamicGatherOp : Stablehlo_Op<"dynamic_gather"> {
  let arguments = (ins
      Tensor:$operand,
      IntegerTensor:$start_indices,
      StaticIntegerVector:$slice_sizes,
      Stablehlo_GatherDimensionNumbers:$dimension_numbers,
      FalseByDefault:$indices_are_sorted);
  let second = BatchingDimensions;
  let shapeConstraint = 22;
}

def Stablehlo_GatherOp : Stablehlo_Op<"gather"> {
  let arguments = (ins
      Tensor:$operand,
      IntegerTensor:$start_indices,
      Stablehlo_GatherDimensionNumbers:$dimension_numbers,
      Dimensions:$slice_sizes,
      FalseByDefault:$indices_are_sorted);
  let second = BatchingDimensions;
  let shapeConstraint = 22;
}

def Stablehlo_ScatterOp : Stablehlo_VariadicOp<"scatter", [SameVariadicOperandSize]> {
  let arguments = (ins
      Variadic<Tensor>:$inputs,
      IntegerOrIndexTensor:$scatter_indices,
      Variadic<Tensor>:$updates,
      Stablehlo_ScatterDimensionNumbers:$scatter_dimension_numbers,
      FalseByDefault:$indices_are_sorted,
      FalseByDefault:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let shape = ShapeIsPairwise;
  let mayWiden = 1;
  let second = ScatterBatchingDimensions;
}

def Stablehlo_TorchIndexSelectOp : Stablehlo_UncheckedOp<"torch_index_select"> {
  let arguments = (ins Tensor:$operand, Tensor:$index, I64Attr:$dim, I64Attr:$batch_dims);
}
