// Attributes of Shardy's `sdy` dialect that exported modules carry: meshes,
// shardings of tensors, and sharding rules of operations.
#ifndef VINTAGE_SDY_ATTRS
#define VINTAGE_SDY_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::mlir::sdy";
  let summary = "The part of Shardy that appears in exported modules";
  let useDefaultAttributePrinterParser = 1;
}

class Sdy_Attr<string className, string mnemonicText> : AttrDef<Sdy_Dialect, className> {
  let mnemonic = mnemonicText;
}

// {"a", "b"}
def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$value);
  let hasCustomAssemblyFormat = 1;
}

// "a"=2
def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let hasCustomAssemblyFormat = 1;
}

// <["a"=2, "b"=4], device_ids=[3, 2, 1, 0]>
def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh"> {
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$device_ids);
  let hasCustomAssemblyFormat = 1;
}

// (1)2: the product of the sizes in front, and the size.
def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info"> {
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let hasCustomAssemblyFormat = 1;
}

// "a" or "a":(1)2
def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref"> {
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let hasCustomAssemblyFormat = 1;
}

// {"a", "b", ?}p1
def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "bool":$is_closed,
                        OptionalParameter<"std::optional<uint64_t>">:$priority);
  let hasCustomAssemblyFormat = 1;
}

// What becomes of values along unreduced axes.
def Sdy_ReductionOp : I64EnumAttr<"ReductionOp", "reduction over unreduced axes", [
    I64EnumAttrCase<"Sum", 0, "sum">, I64EnumAttrCase<"Max", 1, "max">,
    I64EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::mlir::sdy";
  let genSpecializedAttr = 0;
}

// <@mesh, [{"a"}, {}], replicated={"b"}, unreduced={"c"}>
def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding"> {
  let parameters = (ins "::mlir::Attribute":$mesh_or_ref,
                        OptionalArrayRefParameter<"DimensionShardingAttr">:$dim_shardings,
                        OptionalArrayRefParameter<"AxisRefAttr">:$replicated_axes,
                        OptionalArrayRefParameter<"AxisRefAttr">:$unreduced_axes,
                        DefaultValuedParameter<"::mlir::sdy::ReductionOp",
                                               "::mlir::sdy::ReductionOp::Sum">:$reduction_op);
  let hasCustomAssemblyFormat = 1;
}

// <[<@mesh, [{"a"}]>, <@mesh, [{}]>]>
def Sdy_TensorShardingPerValue : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let parameters = (ins OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
  let hasCustomAssemblyFormat = 1;
}

// ij: the factors of one dimension.
def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_indices);
  let hasCustomAssemblyFormat = 1;
}

// [i, jk]
def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let parameters = (ins OptionalArrayRefParameter<"DimMappingAttr">:$dim_mappings);
  let hasCustomAssemblyFormat = 1;
}

// <([i, j], [j, k])->([i, k]) {i=2, j=3, k=4} reduction={j}, custom>
def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_sizes,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$operand_mappings,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$result_mappings,
                        OptionalArrayRefParameter<"int64_t">:$reduction_factors,
                        OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
                        OptionalArrayRefParameter<"int64_t">:$permutation_factors,
                        OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
                        DefaultValuedParameter<"bool", "false">:$is_custom_rule);
  let hasCustomAssemblyFormat = 1;
}

#endif
