// Constants, and operations that move elements without computing.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_BroadcastOp : Stablehlo_Op<"broadcast"> {
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Dimensions:$broadcast_sizes);
  let syntax = "$operand `,` `sizes` `=` custom<Dimensions>($broadcast_sizes)";
  let shapeConstraint = 3;
}

def Stablehlo_BroadcastInDimOp : Stablehlo_Op<"broadcast_in_dim"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, Stablehlo_Dimensions:$broadcast_dimensions);
  let syntax = "$operand `,` `dims` `=` custom<Dimensions>($broadcast_dimensions)";
}

def Stablehlo_ConcatenateOp : Stablehlo_Op<"concatenate"> {
  let arguments = (ins Variadic<Stablehlo_Tensor>:$inputs, Stablehlo_NonNegativeI64:$dimension);
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
      Stablehlo_Tensor:$operand,
      Variadic<Stablehlo_IntegerScalar>:$start_indices,
      Stablehlo_Dimensions:$slice_sizes);
  let syntax = [{$operand `,` custom<OperandsBeforeAttribute>($start_indices) `sizes` `=`
      custom<Dimensions>($slice_sizes)}];
  let shapeConstraint = 5;
}

def Stablehlo_DynamicUpdateSliceOp : Stablehlo_Op<"dynamic_update_slice"> {
  let arguments = (ins
      Stablehlo_Tensor:$operand,
      Stablehlo_Tensor:$update,
      Variadic<Stablehlo_IntegerScalar>:$start_indices);
  let shape = ShapeIsPairwise;
  let syntax = "operands";
}

def Stablehlo_GetDimensionSizeOp : Stablehlo_Op<"get_dimension_size"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, Stablehlo_NonNegativeI64:$dimension);
  let results = (outs Stablehlo_Int32Tensor:$result);
  let syntax = "$operand `,` `dim` `=` $dimension";
}

def Stablehlo_IotaOp : Stablehlo_Op<"iota"> {
  let arguments = (ins Stablehlo_NonNegativeI64:$iota_dimension);
  let results = (outs Stablehlo_AnyTensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
}

def Stablehlo_PadOp : Stablehlo_Op<"pad"> {
  let arguments = (ins
      Stablehlo_Tensor:$operand,
      Stablehlo_Scalar:$padding_value,
      Stablehlo_Dimensions:$edge_padding_low,
      Stablehlo_Dimensions:$edge_padding_high,
      Stablehlo_Dimensions:$interior_padding);
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
  let arguments = (ins Stablehlo_Tensor:$operand, Stablehlo_Dimensions:$dimensions);
  let assemblyFormat = [{
    $operand `,` `dims` `=` custom<Dimensions>($dimensions) attr-dict `:`
      custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
  let shape = ShapeIsPairwise;
}

def Stablehlo_SetDimensionSizeOp : Stablehlo_Op<"set_dimension_size"> {
  let arguments = (ins
      Stablehlo_Tensor:$operand,
      Stablehlo_Int32Tensor:$size,
      Stablehlo_NonNegativeI64:$dimension);
  let syntax = "$operand `,` $size `,` `dim` `=` $dimension";
}

def Stablehlo_SliceOp : Stablehlo_Op<"slice"> {
  let arguments = (ins
      Stablehlo_Tensor:$operand,
      Stablehlo_Dimensions:$start_indices,
      Stablehlo_Dimensions:$limit_indices,
      Stablehlo_Dimensions:$strides);
  let syntax = "$operand custom<SliceRanges>($start_indices, $limit_indices, $strides)";
  let shapeConstraint = 5;
}

def Stablehlo_TransposeOp : Stablehlo_Op<"transpose"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, Stablehlo_Dimensions:$permutation);
  let syntax = "$operand `,` `dims` `=` custom<Dimensions>($permutation)";
  let shapeConstraint = 3;
}
