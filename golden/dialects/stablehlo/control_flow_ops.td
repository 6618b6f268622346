// Control flow, calls, tuples and the region terminator.

include "golden/dialects/stablehlo/StablehloBase.td"
include "golden/dialects/stablehlo/StablehloAttrs.td"
include "golden/dialects/stablehlo/StablehloTypes.td"

def Stablehlo_CaseOp : Stablehlo_Op<"case"> {
  let arguments = (ins Stablehlo_Int32Tensor:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
}

def Stablehlo_CompositeOp : Stablehlo_Op<"composite"> {
  let arguments = (ins
      Variadic<Stablehlo_Value>:$inputs,
      StrAttr:$name,
      DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
      FlatSymbolRefAttr:$decomposition,
      DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<Stablehlo_Value>:$results);
}

def Stablehlo_CustomCallOp : Stablehlo_Op<"custom_call"> {
  let arguments = (ins
      Variadic<Stablehlo_CustomCallValue>:$inputs,
      StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      OptionalAttr<Stablehlo_BackendConfig>:$backend_config,
      DefaultValuedOptionalAttr<Stablehlo_CustomCallApiVersionAttr, "::mlir::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<Stablehlo_SymbolArray, "{}">:$called_computations,
      OptionalAttr<Stablehlo_LayoutArray>:$operand_layouts,
      OptionalAttr<Stablehlo_LayoutArray>:$result_layouts,
      DefaultValuedOptionalAttr<Stablehlo_OutputOperandAliases, "{}">:$output_operand_aliases,
      OptionalAttr<Stablehlo_TilingArray>:$result_tilings);
  let results = (outs Variadic<Stablehlo_CustomCallValue>:$results);
}

def Stablehlo_GetTupleElementOp : Stablehlo_Op<"get_tuple_element"> {
  let arguments = (ins Stablehlo_Tuple:$operand, Stablehlo_NonNegativeI32:$index);
  let results = (outs Stablehlo_Value:$result);
}

def Stablehlo_IfOp : Stablehlo_Op<"if"> {
  let arguments = (ins Stablehlo_BoolTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
}

def Stablehlo_OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier"> {
  let arguments = (ins Variadic<Stablehlo_TensorOrToken>:$operand);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$result);
}

def Stablehlo_ReturnOp : Stablehlo_Op<"return", [Terminator]> {
  let arguments = (ins Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
}

def Stablehlo_TupleOp : Stablehlo_Op<"tuple"> {
  let arguments = (ins Variadic<Stablehlo_Value>:$val);
  let results = (outs Stablehlo_Tuple:$result);
}

def Stablehlo_WhileOp : Stablehlo_Op<"while"> {
  let arguments = (ins Variadic<Stablehlo_TensorTokenOrBuffer>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
}
