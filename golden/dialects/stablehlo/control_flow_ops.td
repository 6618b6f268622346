// Control flow, calls, tuples and the region terminator.

include "golden/dialects/stablehlo/StablehloAttrs.td"

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
  let assemblyFormat = [{
    $name $inputs attr-dict `:` functional-type(operands, results) ``
      custom<CompositeRegions>($composite_regions)
  }];
  let hasVerifier = 0;
  let since = "0, 19, 0";
  let second = Stablehlo_CompositeRegions;
}

def Stablehlo_CustomCallOp : Stablehlo_Op<"custom_call"> {
  let arguments = (ins
      Variadic<Stablehlo_CustomCallValue>:$inputs,
      StrAttr:$call_target_name,
      DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect,
      Stablehlo_OptionalBackendConfig:$backend_config,
      DefaultValuedOptionalAttr<
          Stablehlo_CustomCallApiVersionAttr,
          "::mlir::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<Stablehlo_SymbolArray, "{}">:$called_computations,
      Stablehlo_OptionalArray<Stablehlo_LayoutArray>:$operand_layouts,
      Stablehlo_OptionalArray<Stablehlo_LayoutArray>:$result_layouts,
      DefaultValuedOptionalAttr<Stablehlo_OutputOperandAliases, "{}">:$output_operand_aliases,
      Stablehlo_OptionalArray<Stablehlo_TilingArray>:$result_tilings);
  let results = (outs Variadic<Stablehlo_CustomCallValue>:$results);
  let syntax = "custom<CallTarget>($call_target_name) `(` $inputs `)`";
  let hasVerifier = 0;
  let second = Stablehlo_SecondForm<"1, 18, 0", "result tilings", ["result_tilings"]>;
}

def Stablehlo_GetTupleElementOp : Stablehlo_Op<"get_tuple_element"> {
  let arguments = (ins Stablehlo_Tuple:$operand, Stablehlo_NonNegativeI32:$index);
  let results = (outs Stablehlo_Value:$result);
  let syntax = "$operand `[` $index `]`";
}

def Stablehlo_IfOp : Stablehlo_Op<"if"> {
  let arguments = (ins Stablehlo_BoolTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
}

def Stablehlo_OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier"> {
  let arguments = (ins Variadic<Stablehlo_TensorOrToken>:$operand);
  let results = (outs Variadic<Stablehlo_TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseType>(type($operand), type($result))):(`(` `)`)?
  }];
  let shape = ShapeIsPairwise;
}

def Stablehlo_ReturnOp : Stablehlo_Op<"return", [Terminator]> {
  let arguments = (ins Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
  let hasVerifier = 0;
  let results = (outs);
}

def Stablehlo_TupleOp : Stablehlo_Op<"tuple"> {
  let arguments = (ins Variadic<Stablehlo_Value>:$val);
  let results = (outs Stablehlo_Tuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleType>(type($val), type($result))";
}

def Stablehlo_WhileOp : Stablehlo_Op<"while", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<Stablehlo_TensorTokenOrBuffer>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<Stablehlo_TensorTokenOrBuffer>:$results);
  let hasCustomAssemblyFormat = 1;
  let shape = ShapeIsPairwise;
}
