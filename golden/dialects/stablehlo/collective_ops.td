// Communication between replicas and partitions.

include "golden/dialects/stablehlo/StablehloAttrs.td"

def Stablehlo_AllGatherOp : Stablehlo_VariadicOp<"all_gather"> {
  let arguments = (ins
      Variadic<Tensor>:$operands,
      NonNegativeI64:$all_gather_dim,
      ReplicaGroups:$replica_groups,
      OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids);
  let second = SeveralOperands;
}

def Stablehlo_AllReduceOp : Stablehlo_VariadicOp<"all_reduce"> {
  let arguments = (ins
      Variadic<Tensor>:$operands,
      ReplicaGroups:$replica_groups,
      OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let shape = ShapeIsPairwise;
  let mayWiden = 1;
  let second = SeveralOperands;
}

def Stablehlo_AllToAllOp : Stablehlo_VariadicOp<"all_to_all"> {
  let arguments = (ins
      Variadic<Tensor>:$operands,
      NonNegativeI64:$split_dimension,
      NonNegativeI64:$concat_dimension,
      PositiveI64:$split_count,
      ReplicaGroups:$replica_groups,
      OptionalChannel:$channel_handle);
  let second = SeveralOperands;
}

def Stablehlo_CollectiveBroadcastOp : Stablehlo_VariadicOp<"collective_broadcast"> {
  let arguments = (ins
      Variadic<Tensor>:$operands,
      ReplicaGroups:$replica_groups,
      OptionalChannel:$channel_handle,
      UnitAttr:$has_dynamic_root);
  let shape = ShapeIsPairwise;
  let since = "0, 16, 0";
  let second = DynamicRoot;
}

def Stablehlo_CollectivePermuteOp : Stablehlo_Op<"collective_permute"> {
  let arguments = (ins
      Tensor:$operand,
      I64ElementsAttr:$source_target_pairs,
      OptionalChannel:$channel_handle);
  let shape = ShapeIsPairwise;
}

def Stablehlo_CollectiveReduceOp : Stablehlo_VariadicOp<"collective_reduce"> {
  let arguments = (ins
      Variadic<Tensor>:$operands,
      ReplicaGroups:$replica_groups,
      OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids,
      UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let since = "1, 19, 0";
}

def Stablehlo_CrossReplicaSumOp : Stablehlo_UncheckedOp<"cross-replica-sum"> {
  let arguments = (ins Tensor:$operand, I64ElementsAttr:$replica_groups);
}

class Stablehlo_IdOp<string mnemonic> : Stablehlo_UncheckedOp<mnemonic> {
  let results = (outs UInt32Tensor:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def Stablehlo_PartitionIdOp : Stablehlo_IdOp<"partition_id">;

def Stablehlo_ReduceScatterOp : Stablehlo_Op<"reduce_scatter"> {
  let arguments = (ins
      Tensor:$operand,
      NonNegativeI64:$scatter_dimension,
      ReplicaGroups:$replica_groups,
      OptionalChannel:$channel_handle,
      UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let mayWiden = 1;
}

def Stablehlo_ReplicaIdOp : Stablehlo_IdOp<"replica_id">;
