// Constants, and operations that move elements without computing.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_BroadcastOp : Stablehlo_Op<"broadcast"> {
  let arguments = (ins Tensor:$operand, Dimensions:$broadcast_sizes);
  let syntax = "$operand `,` `sizes` `=` custom<Dimensions>($broadcast_sizes)";
  let shapeConstraint = 3;
}

def Stablehlo_BroadcastInDimOp : Stablehlo_Op<"broadcast_in_dim"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, Dimensions:$broadcast_dimensions);
  let syntax = "$operand `,` `dims` `=` custom<Dimensions>($broadcast_dimensions)";
}

def Stablehlo_ConcatenateOp : Stablehlo_Op<"concatenate"> {
  let arguments = (ins Variadic<Tensor>:$inputs, NonNegativeI64:$dimension);
  let syntax = "custom<OperandsBeforeAttribute>($inputs) `dim` `=` $dimension";
  let shapeConstraint = 6;
}

def Stablehlo_ConstantOp : Stablehlo_Op<"constant", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Stablehlo_AnyTensor:$output);
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_DynamicSliceOp : Stablehlo_Op<"dynamic_slice"> {
  let arguments = (ins
      Tensor:$operand,
      Variadic<IntegerScalar>:$start_indices,
      Dimensions:$slice_sizes);
  let syntax = [{$operand `,` custom<OperandsBeforeAttribute>($start_indices) `sizes` `=`
      custom<Dimensions>($slice_sizes)}];
  let shapeConstraint = 5;
}

def Stablehlo_DynamicUpdateSliceOp : Stablehlo_Op<"dynamic_update_slice"> {
  let arguments = (ins Tensor:$operand, Tensor:$update, Variadic<IntegerScalar>:$start_indices);
  let shape = ShapeIsPairwise;
  let syntax = "operands";
}

def Stablehlo_GetDimensionSizeOp : Stablehlo_Op<"get_dimension_size"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, NonNegativeI64:$dimension);
  let results = (outs Int32Tensor:$result);
  let syntax = "$operand `,` `dim` `=` $dimension";
}

def Stablehlo_IotaOp : Stablehlo_Op<"iota"> {
  let arguments = (ins NonNegativeI64:$iota_dimension);
  let results = (outs Stablehlo_AnyTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}

def Stablehlo_PadOp : Stablehlo_Op<"pad"> {
  let arguments = (ins
      Tensor:$operand,
      Scalar:$padding_value,
      Dimensions:$edge_padding_low,
      Dimensions:$edge_padding_high,
      Dimensions:$interior_padding);
  let syntax = [{$operand `,` $padding_value `,` `low` `=` custom<Dimensions>($edge_padding_low)
      `,` `high` `=` custom<Dimensions>($edge_padding_high) `,` `interior` `=`
      custom<Dimensions>($interior_padding)}];
  let shapeConstraint = 4;
}

def Stablehlo_ReshapeOp : Stablehlo_Op<"reshape"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand);
  let syntax = "operands";
}

def Stablehlo_ReverseOp : Stablehlo_Op<"reverse"> {
  let arguments = (ins Tensor:$operand, Dimensions:$dimensions);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<Dimensions>($dimensions) attr-dict `:`
      custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let shape = ShapeIsPairwise;
}

def Stablehlo_SetDimensionSizeOp : Stablehlo_Op<"set_dimension_size"> {
  let arguments = (ins Tensor:$operand, Int32Tensor:$size, NonNegativeI64:$dimension);
  let syntax = "$operand `,` $size `,` `dim` `=` $dimension";
}

def Stablehlo_SliceOp : Stablehlo_Op<"slice"> {
  let arguments = (ins
      Tensor:$operand,
      Dimensions:$start_indices,
      Dimensions:$limit_indices,
      Dimensions:$strides);
  let syntax = "$operand custom<SliceRanges>($start_indices, $limit_indices, $strides)";
  let shapeConstraint = 5;
}

def Stablehlo_TransposeOp : Stablehlo_Op<"transpose"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, Dimensions:$permutation);
  let syntax = "$operand `,` `dims` `=` custom<Dimensions>($permutation)";
  let shapeConstraint = 3;
}
