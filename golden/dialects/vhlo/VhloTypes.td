// The types of VHLO. Each is a copy of a builtin, quant, shape or StableHLO
// type whose encoding no longer changes.
#ifndef VINTAGE_VHLO_TYPES
#define VINTAGE_VHLO_TYPES

include "mlir/IR/AttrTypeBase.td"
include "vhlo/VhloDialect.td"

class VHLO_Type<string name, string text> : TypeDef<Vhlo_Dialect, name> {
  let mnemonic = text;
}

def VHLO_BooleanV1 : VHLO_Type<"BooleanV1", "bool_v1">;
def VHLO_IndexV1 : VHLO_Type<"IndexV1", "index_v1">;
def VHLO_NoneV1 : VHLO_Type<"NoneV1", "none_v1">;
def VHLO_TokenV1 : VHLO_Type<"TokenV1", "token_v1">;
def VHLO_WitnessV1 : VHLO_Type<"WitnessV1", "witness_v1">;

foreach width = [2, 4, 8, 16, 32, 64] in {
  def VHLO_IntegerSI#width#V1 : VHLO_Type<"IntegerSI"#width#"V1", "i"#width#"_v1">;
  def VHLO_IntegerUI#width#V1 : VHLO_Type<"IntegerUI"#width#"V1", "ui"#width#"_v1">;
}

def VHLO_FloatBF16V1 : VHLO_Type<"FloatBF16V1", "bf16_v1">;
def VHLO_FloatTF32V1 : VHLO_Type<"FloatTF32V1", "tf31_v1">;
foreach format = ["F16", "F32", "F64"] in
  def VHLO_Float#format#V1 : VHLO_Type<"Float"#format#"V1", !tolower(format)#"_v1">;
foreach format = ["F4E2M1FN", "F6E2M3FN", "F6E3M2FN", "F8E3M4", "F8E4M3", "F8E4M3FN",
                  "F8E4M3FNUZ", "F8E4M3B11FNUZ", "F8E5M2", "F8E5M2FNUZ", "F8E8M0FNU"] in
  def VHLO_Float#format#V1
      : VHLO_Type<"Float"#format#"V1", "f"#!substr(format, 1)#"_v1">;

def VHLO_ComplexV1 : VHLO_Type<"ComplexV1", "complex_v1"> {
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}
def VHLO_FunctionV1 : VHLO_Type<"FunctionV1", "func_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$inputs,
                        ArrayRefParameter<"::mlir::Type">:$outputs);
  let assemblyFormat = "`<` custom<FunctionSignature>($inputs, $outputs) `>`";
}
def VHLO_FutureV1 : VHLO_Type<"FutureV1", "future_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` custom<TypeList>($types) `>`";
}
def VHLO_RankedBufferV1 : VHLO_Type<"RankedBufferV1", "buffer_v1"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let assemblyFormat = "`<` custom<Dimensions>($shape) `` $elementType `>`";
}
def VHLO_RankedTensorV1 : VHLO_Type<"RankedTensorV1", "tensor_v1"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
                        OptionalParameter<"::mlir::Attribute">:$encoding);
  let assemblyFormat = "`<` custom<Dimensions>($shape) `` $elementType (`,` $encoding^)? `>`";
}
def VHLO_TupleV1 : VHLO_Type<"TupleV1", "tuple_v1"> {
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` custom<TypeList>($types) `>`";
}
def VHLO_UniformQuantizedV1 : VHLO_Type<"UniformQuantizedV1", "quant_v1"> {
  let parameters = (ins "unsigned":$flags, "::mlir::Type":$storageType,
                        "::mlir::Type":$expressedType, APFloatParameter<"">:$scale,
                        "int64_t":$zeroPoint, "int64_t":$storageTypeMin,
                        "int64_t":$storageTypeMax);
  let assemblyFormat = [{`<` custom<Double>($scale) `:` $zeroPoint `,` $storageTypeMin `:`
      $storageTypeMax `,` $storageType `,` $expressedType `,` $flags `>`}];
}
def VHLO_UniformQuantizedPerAxisV1 : VHLO_Type<"UniformQuantizedPerAxisV1", "quant_per_axis_v1"> {
  let parameters = (ins "unsigned":$flags, "::mlir::Type":$storageType,
                        "::mlir::Type":$expressedType, "int32_t":$quantizedDimension,
                        ArrayRefParameter<"::llvm::APFloat">:$scales,
                        ArrayRefParameter<"int64_t">:$zeroPoints, "int64_t":$storageTypeMin,
                        "int64_t":$storageTypeMax);
  let assemblyFormat = [{`<` custom<Doubles>($scales) `:` custom<Integers>($zeroPoints) `,`
      $quantizedDimension `,` $storageTypeMin `:` $storageTypeMax `,` $storageType `,`
      $expressedType `,` $flags `>`}];
}
def VHLO_UnrankedTensorV1 : VHLO_Type<"UnrankedTensorV1", "unranked_tensor_v1"> {
  let parameters = (ins "::mlir::Type":$elementType);
  let assemblyFormat = "`<` $elementType `>`";
}

#endif
