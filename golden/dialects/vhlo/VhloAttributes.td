// The attributes of VHLO, apart from the enumerations.

include "mlir/IR/AttrTypeBase.td"
include "golden/dialects/vhlo/VhloEnums.td"

// `number` is that of the bytecode, which has the parameters in their order, and
// `version` the StableHLO that introduced the attribute.
class VHLO_Attribute<string name, string text, int number, dag members, string version = "0, 9, 0">
    : AttrDef<Vhlo_Dialect, name> {
  let mnemonic = text;
  let parameters = members;
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = VHLO_Portable<number, version>.declarations #
                              FieldList<members, name # "Attr">.declarations;
}

def VHLO_ArrayV1 : VHLO_Attribute<"ArrayV1", "array_v1", 1,
    (ins OptionalArrayRefParameter<"::mlir::Attribute">:$value)> {
  let assemblyFormat = "`<` `[` (`]`) : ($value^ `]`)? `>`";
}
def VHLO_BooleanV1Attribute : VHLO_Attribute<"BooleanV1", "bool_v1", 2, (ins "bool":$value)> {
  let assemblyFormat = "`<` $value `>`";
}
def VHLO_DictionaryV1 : VHLO_Attribute<"DictionaryV1", "dict_v1", 6,
    (ins ArrayRefParameter<"std::pair<::mlir::Attribute, ::mlir::Attribute>">:$value)> {
  let assemblyFormat = "`<` custom<AttributePairs>($value) `>`";
}
def VHLO_FloatV1 : VHLO_Attribute<"FloatV1", "float_v1", 8,
    (ins "::mlir::Type":$type, APFloatParameter<"">:$value)> {
  let assemblyFormat = "`<` custom<TypedFloat>($value, $type) `>`";
}
def VHLO_IntegerV1 : VHLO_Attribute<"IntegerV1", "integer_v1", 9,
    (ins "::mlir::Type":$type, APIntParameter<"">:$value)> {
  let assemblyFormat = "`<` custom<TypedInteger>($value, $type) `>`";
}
def VHLO_OutputOperandAliasV1
    : VHLO_Attribute<"OutputOperandAliasV1", "output_operand_alias_v1", 10,
    (ins OptionalArrayRefParameter<"int64_t">:$outputTupleIndices, "int64_t":$operandIndex,
         OptionalArrayRefParameter<"int64_t">:$operandTupleIndices)> {
  let assemblyFormat = [{`<` `outputTupleIndices` `=` `[` (`]`) : ($outputTupleIndices^ `]`)? `,`
      `operandIndex` `=` $operandIndex `,`
      `operandTupleIndices` `=` `[` (`]`) : ($operandTupleIndices^ `]`)? `>`}];
}
def VHLO_ResultAccuracyV1 : VHLO_Attribute<"ResultAccuracyV1", "result_accuracy_v1", 20,
    (ins APFloatParameter<"">:$atol, APFloatParameter<"">:$rtol, "int64_t":$ulps,
         "::mlir::Attribute":$mode), "1, 9, 0"> {
  let assemblyFormat = [{`<` `atol` `=` custom<Double>($atol) `,` `rtol` `=` custom<Double>($rtol)
      `,` `ulps` `=` $ulps `,` `mode` `=` $mode `>`}];
}
def VHLO_StringV1
    : VHLO_Attribute<"StringV1", "string_v1", 14, (ins StringRefParameter<"">:$value)> {
  let assemblyFormat = "`<` $value `>`";
}
// `data` is as on the wire: booleans are packed, eight in a byte, or one byte
// of equal bits where all are equal.
def VHLO_TensorV1 : VHLO_Attribute<"TensorV1", "tensor_v1", 15,
    (ins "::mlir::Type":$type, ArrayRefParameter<"char">:$data)> {
  let assemblyFormat = "`<` $type `,` custom<HexBytes>($data) `>`";
}
def VHLO_TypeV1 : VHLO_Attribute<"TypeV1", "type_v1", 17, (ins "::mlir::Type":$value)> {
  let assemblyFormat = "`<` $value `>`";
}
def VHLO_TypeExtensionsV1 : VHLO_Attribute<"TypeExtensionsV1", "type_extensions_v1", 18,
    (ins OptionalArrayRefParameter<"int64_t">:$bounds)> {
  let assemblyFormat = "`<` `bounds` `=` `[` (`]`) : ($bounds^ `]`)? `>`";
}

// Replica groups as the axes of a device mesh.
def VHLO_SubAxisInfoV1 : VHLO_Attribute<"SubAxisInfoV1", "sub_axis_info_v1", 21,
    (ins "int64_t":$pre_size, "int64_t":$size), "1, 16, 0">;
def VHLO_AxisRefV1 : VHLO_Attribute<"AxisRefV1", "axis_ref_v1", 22,
    (ins "::mlir::Attribute":$name, OptionalParameter<"::mlir::Attribute">:$sub_axis_info),
    "1, 16, 0">;
def VHLO_ReplicaGroupMeshAxesV1 : VHLO_Attribute<"ReplicaGroupMeshAxesV1",
    "replica_group_mesh_axes_v1", 23, (ins "::mlir::Attribute":$mesh, "::mlir::Attribute":$axes),
    "1, 16, 0">;
def VHLO_MeshAxisV1 : VHLO_Attribute<"MeshAxisV1", "mesh_axis_v1", 24,
    (ins "::mlir::Attribute":$name, "int64_t":$size), "1, 16, 0">;
def VHLO_MeshV1 : VHLO_Attribute<"MeshV1", "mesh_v1", 25,
    (ins "::mlir::Attribute":$axes, OptionalParameter<"::mlir::Attribute">:$device_ids),
    "1, 16, 0">;
