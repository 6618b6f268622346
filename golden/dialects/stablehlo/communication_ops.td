// Tokens, host transfers, point-to-point communication and asynchronous operations.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_AfterAllOp : Stablehlo_UncheckedOp<"after_all"> {
  let arguments = (ins Variadic<Token>:$inputs);
  let results = (outs Token:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` custom<VariadicSameType>(ref($inputs), type($inputs), type($result))
  }];
}

def Stablehlo_AsyncDoneOp : Stablehlo_UncheckedOp<"async_done"> {
  let arguments = (ins Future:$operand);
  let results = (outs Value:$result);
  let since = "1, 15, 0";
}

def Stablehlo_AsyncStartOp : Stablehlo_UncheckedOp<"async_start"> {
  let arguments = (ins Variadic<Tensor>:$operands);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Future:$result);
  let since = "1, 15, 0";
}

def Stablehlo_CreateTokenOp : Stablehlo_UncheckedOp<"create_token"> {
  let results = (outs Token:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def Stablehlo_InfeedOp : Stablehlo_Op<"infeed"> {
  let arguments = (ins
      Token:$token,
      DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
      OptionalArray<ArrayAttr>:$layout);
  let results = (outs Variadic<Value>:$results);
}

def Stablehlo_OutfeedOp : Stablehlo_UncheckedOp<"outfeed"> {
  let arguments = (ins
      Variadic<Stablehlo_AnyTensor>:$inputs,
      Token:$token,
      DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs Token:$result);
}

def Stablehlo_RecvOp : Stablehlo_Op<"recv"> {
  let arguments = (ins
      Token:$token,
      Stablehlo_ChannelHandle:$channel_handle,
      FalseByDefault:$is_host_transfer,
      OptionalPairs:$source_target_pairs);
  let results = (outs Variadic<Value>:$results);
  let second = SourceTargetPairs;
}

def Stablehlo_SendOp : Stablehlo_Op<"send"> {
  let arguments = (ins
      Variadic<Stablehlo_AnyTensor>:$inputs,
      Token:$token,
      Stablehlo_ChannelHandle:$channel_handle,
      FalseByDefault:$is_host_transfer,
      OptionalPairs:$source_target_pairs);
  let results = (outs Token:$result);
  let second = SourceTargetPairs;
}
