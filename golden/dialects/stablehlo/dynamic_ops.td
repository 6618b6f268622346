// Operations whose result shape is an operand.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_DynamicBroadcastInDimOp : Stablehlo_Op<"dynamic_broadcast_in_dim"> {
  let arguments = (ins
      Stablehlo_AnyTensor:$operand,
      StaticDimensionVector:$output_dimensions,
      Dimensions:$broadcast_dimensions,
      OptionalDimensions:$known_expanding_dimensions,
      OptionalDimensions:$known_nonexpanding_dimensions);
  let syntax =
      "$operand `,` $output_dimensions `,` `dims` `=` custom<Dimensions>($broadcast_dimensions)";
}

def Stablehlo_DynamicIotaOp : Stablehlo_Op<"dynamic_iota"> {
  let arguments = (ins StaticDimensionVector:$output_shape, NonNegativeI64:$iota_dimension);
  let syntax = "$output_shape `,` `dim` `=` $iota_dimension";
}

def Stablehlo_DynamicPadOp : Stablehlo_Op<"dynamic_pad"> {
  let arguments = (ins
      Tensor:$operand,
      Scalar:$padding_value,
      StaticDimensionVector:$edge_padding_low,
      StaticDimensionVector:$edge_padding_high,
      StaticDimensionVector:$interior_padding);
  let syntax = "operands";
}

def Stablehlo_DynamicReshapeOp : Stablehlo_Op<"dynamic_reshape"> {
  let arguments = (ins Stablehlo_AnyTensor:$operand, StaticDimensionVector:$output_shape);
  let syntax = "operands";
}

def Stablehlo_RealDynamicSliceOp : Stablehlo_Op<"real_dynamic_slice"> {
  let arguments = (ins
      Tensor:$operand,
      DimensionVector:$start_indices,
      DimensionVector:$limit_indices,
      DimensionVector:$strides);
  let syntax = "operands";
}
