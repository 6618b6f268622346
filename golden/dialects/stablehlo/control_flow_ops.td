// Control flow, calls, tuples and the region terminator.

include "golden/dialects/stablehlo/StablehloBase.td"
include "golden/dialects/stablehlo/StablehloAttrs.td"
include "golden/dialects/stablehlo/StablehloTypes.td"

def Stablehlo_CaseOp : Stablehlo_Op<"case"> {
  let arguments = (ins Stablehlo_Int32Tensor:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
  let hasVerifier = 1;
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
  let assemblyFormat = [{
    $name $inputs attr-dict `:` functional-type(operands, results) ``
      custom<CompositeRegions>($composite_regions)
  }];
}

def Stablehlo_CustomCallOp : Stablehlo_Op<"custom_call"> {
  let arguments = (ins
      Variadic<Stablehlo_CustomCallValue>:$inputs,
      StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      OptionalAttr<Stablehlo_BackendConfig>:$backend_config,
      DefaultValuedOptionalAttr<
          Stablehlo_CustomCallApiVersionAttr,
          "::mlir::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<Stablehlo_SymbolArray, "{}">:$called_computations,
      OptionalAttr<Stablehlo_LayoutArray>:$operand_layouts,
      OptionalAttr<Stablehlo_LayoutArray>:$result_layouts,
      DefaultValuedOptionalAttr<Stablehlo_OutputOperandAliases, "{}">:$output_operand_aliases,
      OptionalAttr<Stablehlo_TilingArray>:$result_tilings);
  let results = (outs Variadic<Stablehlo_CustomCallValue>:$results);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)` attr-dict `:`
      functional-type(operands, results)
  }];
}

def Stablehlo_GetTupleElementOp : Stablehlo_Op<"get_tuple_element"> {
  let arguments = (ins Stablehlo_Tuple:$operand, Stablehlo_NonNegativeI32:$index);
  let results = (outs Stablehlo_Value:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Stablehlo_IfOp : Stablehlo_Op<"if"> {
  let arguments = (ins Stablehlo_BoolTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
  let hasVerifier = 1;
}

def Stablehlo_OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier"> {
  let arguments = (ins Variadic<Stablehlo_TensorOrToken>:$operand);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseType>(type($operand), type($result))):(`(` `)`)?
  }];
  let hasVerifier = 1;
}

def Stablehlo_ReturnOp : Stablehlo_Op<"return", [Terminator]> {
  let arguments = (ins Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}

def Stablehlo_TupleOp : Stablehlo_Op<"tuple"> {
  let arguments = (ins Variadic<Stablehlo_Value>:$val);
  let results = (outs Stablehlo_Tuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleType>(type($val), type($result))";
  let hasVerifier = 1;
}

def Stablehlo_WhileOp : Stablehlo_Op<"while", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<Stablehlo_TensorTokenOrBuffer>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
