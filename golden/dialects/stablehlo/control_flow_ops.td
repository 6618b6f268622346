// Control flow, calls, tuples and the region terminator.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_CaseOp : Stablehlo_Op<"case"> {
  let arguments = (ins Int32Tensor:$index);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let results = (outs Variadic<TensorTokenOrBuffer>:$results);
}

def Stablehlo_CompositeOp : Stablehlo_UncheckedOp<"composite"> {
  let arguments = (ins
      Variadic<Value>:$inputs,
      StrAttr:$name,
      DefaultValuedOptionalAttr<DictionaryAttr, "{}">:$composite_attributes,
      FlatSymbolRefAttr:$decomposition,
      DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<Value>:$results);
  let assemblyFormat = [{
    $name $inputs attr-dict `:` functional-type(operands, results) ``
      custom<CompositeRegions>($composite_regions)
  }];
  let since = "0, 19, 0";
  let second = CompositeRegions;
}

def Stablehlo_CustomCallOp : Stablehlo_UncheckedOp<"custom_call"> {
  let arguments = (ins
      Variadic<CustomCallValue>:$inputs,
      StrAttr:$call_target_name,
      FalseByDefault:$has_side_effect,
      OptionalBackendConfig:$backend_config,
      DefaultValuedOptionalAttr<
          Stablehlo_CustomCallApiVersionAttr,
          "::mlir::stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL">:$api_version,
      DefaultValuedOptionalAttr<SymbolArray, "{}">:$called_computations,
      OptionalArray<LayoutArray>:$operand_layouts,
      OptionalArray<LayoutArray>:$result_layouts,
      DefaultValuedOptionalAttr<OutputOperandAliases, "{}">:$output_operand_aliases,
      OptionalArray<TilingArray>:$result_tilings);
  let results = (outs Variadic<CustomCallValue>:$results);
  let syntax = "custom<CallTarget>($call_target_name) `(` $inputs `)`";
  let second = SecondForm<"1, 18, 0", "result tilings", ["result_tilings"]>;
}

def Stablehlo_GetTupleElementOp : Stablehlo_Op<"get_tuple_element"> {
  let arguments = (ins Tuple:$operand, NonNegativeI32:$index);
  let results = (outs Value:$result);
  let syntax = "$operand `[` $index `]`";
}

def Stablehlo_IfOp : Stablehlo_Op<"if"> {
  let arguments = (ins BoolTensor:$pred);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let results = (outs Variadic<TensorTokenOrBuffer>:$results);
}

def Stablehlo_OptimizationBarrierOp : Stablehlo_Op<"optimization_barrier"> {
  let arguments = (ins Variadic<TensorOrToken>:$operand);
  let results = (outs Variadic<TensorOrToken>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairwiseType>(type($operand), type($result))):(`(` `)`)?
  }];
  let shape = ShapeIsPairwise;
}

def Stablehlo_ReturnOp : Stablehlo_UncheckedOp<"return", [Terminator]> {
  let arguments = (ins Variadic<TensorTokenOrBuffer>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
  let results = (outs);
}

def Stablehlo_TupleOp : Stablehlo_Op<"tuple"> {
  let arguments = (ins Variadic<Value>:$val);
  let results = (outs Tuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleType>(type($val), type($result))";
}

def Stablehlo_WhileOp : Stablehlo_Op<"while", [
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let arguments = (ins Variadic<TensorTokenOrBuffer>:$operand);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let results = (outs Variadic<TensorTokenOrBuffer>:$results);
  let hasCustomAssemblyFormat = 1;
  let shape = ShapeIsPairwise;
}
