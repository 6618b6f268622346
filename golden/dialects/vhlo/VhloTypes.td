// The types of VHLO. Each is a copy of a builtin, quant, shape or StableHLO
// type whose encoding no longer changes.

include "mlir/IR/AttrTypeBase.td"
include "golden/dialects/vhlo/VhloEnums.td"

// `number` is that of the bytecode, which has the parameters in their order, and
// `version` the StableHLO that introduced the type.
class VHLO_Type<string name, string text, int number, dag members = (ins),
                string version = "0, 9, 0"> : TypeDef<Vhlo_Dialect, name> {
  let mnemonic = text;
  let parameters = members;
  string portable = VHLO_Portable<number, version>.declarations;
  let extraClassDeclaration = portable # FieldList<members, name # "Type">.declarations;
}

// A type without parameters, and its twin in another dialect.
class VHLO_Plain<string name, string text, int number, string twin, string version = "0, 9, 0">
    : VHLO_Type<name, text, number, (ins), version> {
  let extraClassDeclaration = portable # "static ::mlir::Type twin(::mlir::MLIRContext* context);\n";
  let extraClassDefinition = "::mlir::Type $cppClass::twin(::mlir::MLIRContext* context) {\n" #
                             "  return " # twin # ";\n}\n";
}
def VHLO_NoneV1
    : VHLO_Plain<"NoneV1", "none_v1", 33, "::mlir::NoneType::get(context)", "1, 6, 0">;
def VHLO_TokenV1
    : VHLO_Plain<"TokenV1", "token_v1", 22, "::mlir::stablehlo::TokenType::get(context)">;
def VHLO_WitnessV1
    : VHLO_Plain<"WitnessV1", "witness_v1", 26, "::mlir::shape::WitnessType::get(context)">;
def VHLO_BooleanV1 : VHLO_Plain<"BooleanV1", "bool_v1", 0, "::mlir::IntegerType::get(context, 1)">;

def VHLO_IndexV1 : VHLO_Plain<"IndexV1", "index_v1", 9, "::mlir::IndexType::get(context)">;
defvar widths = [2, 4, 8, 16, 32, 64];
defvar signlessNumbers = [31, 10, 11, 12, 13, 14];
defvar unsignedNumbers = [32, 15, 16, 17, 18, 19];
foreach i = !range(6) in {
  defvar width = widths[i];
  defvar version = !if(!eq(width, 2), "1, 2, 0", "0, 9, 0");
  defvar twin = "::mlir::IntegerType::get(context, " # width # ", ::mlir::IntegerType::";
  def VHLO_IntegerSI#width#V1 : VHLO_Plain<"IntegerSI"#width#"V1", "i"#width#"_v1",
      signlessNumbers[i], twin # "Signless)", version>;
  def VHLO_IntegerUI#width#V1 : VHLO_Plain<"IntegerUI"#width#"V1", "ui"#width#"_v1",
      unsignedNumbers[i], twin # "Unsigned)", version>;
}

class VHLO_Float<string name, int number, string twin, string version = "0, 9, 0",
                 string text = "f" # !substr(name, 1)>
    : VHLO_Plain<"Float" # name # "V1", text # "_v1", number,
                 "::mlir::" # twin # "Type::get(context)", version>;
def VHLO_FloatBF16V1 : VHLO_Float<"BF16", 2, "BFloat16", "0, 9, 0", "bf16">;
def VHLO_FloatF16V1 : VHLO_Float<"F16", 3, "Float16">;
def VHLO_FloatF32V1 : VHLO_Float<"F32", 4, "Float32">;
def VHLO_FloatF64V1 : VHLO_Float<"F64", 5, "Float64">;
def VHLO_FloatTF32V1 : VHLO_Float<"TF32", 34, "FloatTF32", "1, 6, 0", "tf31">;
def VHLO_FloatF4E2M1FNV1 : VHLO_Float<"F4E2M1FN", 37, "Float4E2M1FN", "1, 8, 0">;
def VHLO_FloatF6E2M3FNV1 : VHLO_Float<"F6E2M3FN", 38, "Float6E2M3FN", "1, 8, 0">;
def VHLO_FloatF6E3M2FNV1 : VHLO_Float<"F6E3M2FN", 39, "Float6E3M2FN", "1, 8, 0">;
def VHLO_FloatF8E3M4V1 : VHLO_Float<"F8E3M4", 36, "Float8E3M4", "1, 7, 0">;
def VHLO_FloatF8E4M3V1 : VHLO_Float<"F8E4M3", 35, "Float8E4M3", "1, 7, 0">;
def VHLO_FloatF8E4M3FNV1 : VHLO_Float<"F8E4M3FN", 6, "Float8E4M3FN">;
def VHLO_FloatF8E4M3FNUZV1 : VHLO_Float<"F8E4M3FNUZ", 27, "Float8E4M3FNUZ", "0, 10, 0">;
def VHLO_FloatF8E4M3B11FNUZV1 : VHLO_Float<"F8E4M3B11FNUZ", 29, "Float8E4M3B11FNUZ", "0, 11, 0">;
def VHLO_FloatF8E5M2V1 : VHLO_Float<"F8E5M2", 7, "Float8E5M2">;
def VHLO_FloatF8E5M2FNUZV1 : VHLO_Float<"F8E5M2FNUZ", 28, "Float8E5M2FNUZ", "0, 10, 0">;
def VHLO_FloatF8E8M0FNUV1 : VHLO_Float<"F8E8M0FNU", 40, "Float8E8M0FNU", "1, 8, 0">;

def VHLO_ComplexV1 : VHLO_Type<"ComplexV1", "complex_v1", 1, (ins "::mlir::Type":$elementType)> {
  let assemblyFormat = "`<` $elementType `>`";
}
def VHLO_FunctionV1 : VHLO_Type<"FunctionV1", "func_v1", 8,
    (ins OptionalArrayRefParameter<"::mlir::Type">:$inputs,
         OptionalArrayRefParameter<"::mlir::Type">:$outputs)> {
  let assemblyFormat = [{`<` `(` (`)`) : ($inputs^ `)`)? `->`
      `(` (`)`) : ($outputs^ `)`)? `>`}];
}
def VHLO_FutureV1 : VHLO_Type<"FutureV1", "future_v1", 42,
    (ins OptionalArrayRefParameter<"::mlir::Type">:$types), "1, 15, 0"> {
  let assemblyFormat = "`<` (`(` `)`) : ($types^)? `>`";
}
def VHLO_RankedBufferV1 : VHLO_Type<"RankedBufferV1", "buffer_v1", 41,
    (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType), "1, 13, 0"> {
  let assemblyFormat = "`<` custom<Dimensions>($shape) `` $elementType `>`";
}
def VHLO_RankedTensorV1 : VHLO_Type<"RankedTensorV1", "tensor_v1", 20,
    (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType,
         OptionalParameter<"::mlir::Attribute">:$encoding)> {
  let assemblyFormat = "`<` custom<Dimensions>($shape) `` $elementType (`,` $encoding^)? `>`";
}
def VHLO_TupleV1 : VHLO_Type<"TupleV1", "tuple_v1", 23,
    (ins OptionalArrayRefParameter<"::mlir::Type">:$types)> {
  let assemblyFormat = "`<` (`(` `)`) : ($types^)? `>`";
}
def VHLO_UniformQuantizedV1 : VHLO_Type<"UniformQuantizedV1", "quant_v1", 24,
    (ins "unsigned":$flags, "::mlir::Type":$storageType,
         "::mlir::Type":$expressedType, APFloatParameter<"">:$scale,
         "int64_t":$zeroPoint, "int64_t":$storageTypeMin,
         "int64_t":$storageTypeMax)> {
  let assemblyFormat = [{`<` custom<Double>($scale) `:` $zeroPoint `,` $storageTypeMin `:`
      $storageTypeMax `,` $storageType `,` $expressedType `,` $flags `>`}];
}
def VHLO_UniformQuantizedPerAxisV1 : VHLO_Type<"UniformQuantizedPerAxisV1", "quant_per_axis_v1", 30,
    (ins "unsigned":$flags, "::mlir::Type":$storageType, "::mlir::Type":$expressedType,
         "int32_t":$quantizedDimension, "int64_t":$storageTypeMin, "int64_t":$storageTypeMax,
         ArrayRefParameter<"::llvm::APFloat">:$scales,
         OptionalArrayRefParameter<"int64_t">:$zeroPoints), "0, 18, 0"> {
  let assemblyFormat = [{`<` custom<Doubles>($scales) `:` `[` (`]`) : ($zeroPoints^ `]`)? `,`
      $quantizedDimension `,` $storageTypeMin `:` $storageTypeMax `,` $storageType `,`
      $expressedType `,` $flags `>`}];
}
def VHLO_UnrankedTensorV1 : VHLO_Type<"UnrankedTensorV1", "unranked_tensor_v1", 25,
    (ins "::mlir::Type":$elementType)> {
  let assemblyFormat = "`<` $elementType `>`";
}
