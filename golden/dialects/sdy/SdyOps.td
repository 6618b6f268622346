// Operations of Shardy's `sdy` dialect that exported modules carry. The
// collectives of Shardy's own partitioner (sdy.all_gather, …) appear only
// behind export and are not here.

include "sdy/SdyAttrs.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol]> {
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_Mesh:$mesh);
  let assemblyFormat = "$sym_name `=` $mesh attr-dict";
}

class Sdy_IdentityOp<string mnemonic> : Sdy_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins AnyTensor:$input, Sdy_TensorSharding:$sharding);
  let results = (outs AnyTensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
}
def Sdy_ShardingConstraintOp : Sdy_IdentityOp<"sharding_constraint">;
def Sdy_ReshardOp : Sdy_IdentityOp<"reshard">;

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let arguments = (ins AnyRankedTensor:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id````=```$group_id attr-dict `:` type($input)";
}

def Sdy_PropagationDirection : I32EnumAttr<"PropagationDirection", "direction of propagation", [
    I32EnumAttrCase<"NONE", 0>, I32EnumAttrCase<"FORWARD", 1>,
    I32EnumAttrCase<"BACKWARD", 2>, I32EnumAttrCase<"BOTH", 3>]> {
  let cppNamespace = "::mlir::sdy";
}
def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", [SameOperandsAndResultType]> {
  let arguments = (ins AnyRankedTensor:$input, Sdy_PropagationDirection:$allowed_direction);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$input `allowed_direction````=```$allowed_direction attr-dict `:` type($input)";
}

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [IsolatedFromAbove]> {
  let arguments = (ins Variadic<AnyType>:$tensors,
                       Sdy_TensorShardingPerValue:$in_shardings,
                       Sdy_TensorShardingPerValue:$out_shardings, Sdy_ManualAxes:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{`` `(` $tensors `)`
      `in_shardings` `` `=` `` custom<Shardings>($in_shardings)
      `out_shardings` `` `=` `` custom<Shardings>($out_shardings)
      `manual_axes` `` `=` `` $manual_axes custom<Body>($body)
      attr-dict `:` functional-type(operands, results)}];
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [IsolatedFromAbove]> {
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValue>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{`` `<` $name `>` `` `(` $operands `)`
      (`in_shardings` `` `=` `` custom<Shardings>($in_shardings)^)?
      (`out_shardings` `` `=` `` custom<Shardings>($out_shardings)^)?
      custom<Body>($body) attr-dict `:` functional-type(operands, results)}];
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}
