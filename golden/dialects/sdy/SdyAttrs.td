// Attributes of Shardy's `sdy` dialect that exported modules carry: meshes,
// shardings of tensors, and sharding rules of operations.

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "golden/dialects/Fields.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::mlir::sdy";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerBytecode();";
}

// `number` is that of Shardy's bytecode, which has the parameters in their order.
class Sdy_Attr<string className, string mnemonicText, int number>
    : AttrDef<Sdy_Dialect, className> {
  let mnemonic = mnemonicText;
  let extraClassDeclaration = "static constexpr uint64_t kCode = " # number # ";\n" #
      FieldList<parameters, className # "Attr">.declarations;
}

// {"a", "b"}
def Sdy_ManualAxes : Sdy_Attr<"ManualAxes", "manual_axes", 0> {
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$axes);
  let assemblyFormat = [{`` custom<List>($axes, "\"{}\"")}];
}

// "a"=2
def Sdy_MeshAxis : Sdy_Attr<"MeshAxis", "mesh_axis", 1> {
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size);
  let assemblyFormat = "`` $name `` `=` `` $size";
}

// <["a"=2, "b"=4], device_ids=[3, 2, 1, 0]>
def Sdy_Mesh : Sdy_Attr<"Mesh", "mesh", 2> {
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$device_ids);
  let assemblyFormat = [{`<` custom<List>($axes)
      (`,` `device_ids` `` `=` `` custom<List>($device_ids)^)? `>`}];
}

// (1)2: the product of the sizes in front, and the size.
def Sdy_SubAxisInfo : Sdy_Attr<"SubAxisInfo", "sub_axis_info", 3> {
  let parameters = (ins "int64_t":$pre_size, "int64_t":$size);
  let assemblyFormat = "`(` $pre_size `)` `` $size";
}

// "a" or "a":(1)2
def Sdy_AxisRef : Sdy_Attr<"AxisRef", "axis_ref", 4> {
  let parameters = (ins StringRefParameter<>:$name,
                        OptionalParameter<"SubAxisInfoAttr">:$sub_axis_info);
  let assemblyFormat = "`` $name `` (`:` `` $sub_axis_info^)?";
}

// {"a", "b", ?}p1
def Sdy_DimensionSharding : Sdy_Attr<"DimensionSharding", "dimension_sharding", 5> {
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "bool":$is_closed,
                        OptionalParameter<"std::optional<uint64_t>">:$priority);
  let hasCustomAssemblyFormat = 1;
}

// How values are combined along unreduced axes.
def Sdy_ReductionOp : I64EnumAttr<"ReductionOp", "reduction over unreduced axes", [
    I64EnumAttrCase<"Sum", 0, "sum">, I64EnumAttrCase<"Max", 1, "max">,
    I64EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::mlir::sdy";
  let genSpecializedAttr = 0;
}

// <@mesh, [{"a"}, {}], replicated={"b"}, unreduced={"c"}>
def Sdy_TensorSharding : Sdy_Attr<"TensorSharding", "sharding", 6> {
  let parameters = (ins "::mlir::Attribute":$mesh,
                        OptionalArrayRefParameter<"DimensionShardingAttr">:$dimensions,
                        OptionalArrayRefParameter<"AxisRefAttr">:$replicated_axes,
                        OptionalArrayRefParameter<"AxisRefAttr">:$unreduced_axes,
                        DefaultValuedParameter<"::mlir::sdy::ReductionOp",
                                               "::mlir::sdy::ReductionOp::Sum">:$reduction_op);
  let hasCustomAssemblyFormat = 1;
}

// <[<@mesh, [{"a"}]>, <@mesh, [{}]>]>
def Sdy_TensorShardingPerValue : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value", 7> {
  let parameters = (ins OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
  let assemblyFormat = "`<` custom<List>($shardings) `>`";
}

// ij: the factors of one dimension.
def Sdy_DimMapping : Sdy_Attr<"DimMapping", "dim_mapping", 8> {
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_indices);
  let assemblyFormat = "`` custom<Factors>($factor_indices)";
}

// [i, jk]
def Sdy_TensorMapping : Sdy_Attr<"TensorMapping", "tensor_mapping", 9> {
  let parameters = (ins OptionalArrayRefParameter<"DimMappingAttr">:$dim_mappings);
  let assemblyFormat = "`` custom<List>($dim_mappings)";
}

// <([i, j], [j, k])->([i, k]) {i=2, j=3, k=4} reduction={j}, custom>
def Sdy_OpShardingRule : Sdy_Attr<"OpShardingRule", "op_sharding_rule", 10> {
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factor_sizes,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$operand_mappings,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$result_mappings,
                        OptionalArrayRefParameter<"int64_t">:$reduction_factors,
                        OptionalArrayRefParameter<"int64_t">:$need_replication_factors,
                        OptionalArrayRefParameter<"int64_t">:$permutation_factors,
                        OptionalArrayRefParameter<"int64_t">:$blocked_propagation_factors,
                        DefaultValuedParameter<"bool", "false">:$is_custom_rule);
  let assemblyFormat = [{`<` custom<List>($operand_mappings, "\"()\"") `` `->` ``
      custom<List>($result_mappings, "\"()\"") `` custom<FactorSizes>($factor_sizes) ``
      custom<FactorGroup>($reduction_factors, "\"reduction\"") ``
      custom<FactorGroup>($need_replication_factors, "\"need_replication\"") ``
      custom<FactorGroup>($permutation_factors, "\"permutation\"") ``
      custom<FactorGroup>($blocked_propagation_factors, "\"blocked_propagation\"") ``
      custom<CustomRule>($is_custom_rule) `>`}];
}
