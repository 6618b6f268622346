// Operations whose result shape is an operand.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_DynamicBroadcastInDimOp : Stablehlo_Op<"dynamic_broadcast_in_dim"> {
  let arguments = (ins
      Stablehlo_AnyTensor:$operand,
      Stablehlo_StaticDimensionVector:$output_dimensions,
      Stablehlo_Dimensions:$broadcast_dimensions,
      Stablehlo_OptionalDimensions:$known_expanding_dimensions,
      Stablehlo_OptionalDimensions:$known_nonexpanding_dimensions);
  let syntax =
      "$operand `,` $output_dimensions `,` `dims` `=` custom<Dimensions>($broadcast_dimensions)";
}

def Stablehlo_DynamicIotaOp : Stablehlo_Op<"dynamic_iota"> {
  let arguments = (ins
      Stablehlo_StaticDimensionVector:$output_shape,
      Stablehlo_NonNegativeI64:$iota_dimension);
  let syntax = "$output_shape `,` `dim` `=` $iota_dimension";
}

def Stablehlo_DynamicPadOp : Stablehlo_Op<"dynamic_pad"> {
  let arguments = (ins
      Stablehlo_Tensor:$operand,
      Stablehlo_Scalar:$padding_value,
      Stablehlo_StaticDimensionVector:$edge_padding_low,
      Stablehlo_StaticDimensionVector:$edge_padding_high,
      Stablehlo_StaticDimensionVector:$interior_padding);
  let syntax = "operands";
}

def Stablehlo_DynamicReshapeOp : Stablehlo_Op<"dynamic_reshape"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, Stablehlo_StaticDimensionVector:$output_shape);
  let syntax = "operands";
}

def Stablehlo_RealDynamicSliceOp : Stablehlo_Op<"real_dynamic_slice"> {
  let arguments = (ins
      Stablehlo_Tensor:$operand,
      Stablehlo_DimensionVector:$start_indices,
      Stablehlo_DimensionVector:$limit_indices,
      Stablehlo_DimensionVector:$strides);
  let syntax = "operands";
}
