// Types and structured attributes, and the constraints on attributes of operations.
#ifndef VINTAGE_STABLEHLO_ATTRS
#define VINTAGE_STABLEHLO_ATTRS

include "mlir/IR/TensorEncoding.td"
include "mlir/IR/CommonAttrConstraints.td"
include "golden/dialects/Fields.td"
include "golden/dialects/stablehlo/StablehloBase.td"
include "golden/dialects/stablehlo/StablehloEnums.td"

class Stablehlo_Attr<string name, string keyword, string what, list<Trait> traits = []>
    : AttrDef<Stablehlo_Dialect, name, traits> {
  let mnemonic = keyword;
  let summary = what;
  list<string> portableParts = [];  // The names in VHLO, where that keeps the fields apart.
  let extraClassDeclaration = FieldList<parameters, name # "Attr">.declarations;
}

// With text by the names of the fields. VHLO keeps most `inParts`, each an attribute of the
// operation.
class Stablehlo_Structure<string name, string keyword, string what, bit inParts = 1>
    : Stablehlo_Attr<name, keyword, what> {
  let portableParts =
      !if(inParts, !foreach(each, FieldList<parameters, name # "Attr">.fields, each.name), []);
  let hasCustomAssemblyFormat = 1;
  let extraClassDefinition = [{
    ::mlir::Attribute $cppClass::parse(::mlir::AsmParser& parser, ::mlir::Type) {
      return parseStructure<$cppClass>(parser);
    }
    void $cppClass::print(::mlir::AsmPrinter& printer) const { printStructure(printer, *this); }
  }];
}

def DimensionList : ArrayRefParameter<"int64_t", "dimensions">;

def Stablehlo_DotDimensionNumbers
    : Stablehlo_Structure<"DotDimensionNumbers", "dot", "dimensions of a dot product"> {
  let parameters = (ins
      DimensionList:$lhsBatchingDimensions,
      DimensionList:$rhsBatchingDimensions,
      DimensionList:$lhsContractingDimensions,
      DimensionList:$rhsContractingDimensions);
}

def Stablehlo_DotAlgorithm
    : Stablehlo_Structure<"DotAlgorithm", "dot_algorithm", "algorithm of a dot product"> {
  let parameters = (ins
      "::mlir::Type":$lhsPrecisionType,
      "::mlir::Type":$rhsPrecisionType,
      "::mlir::Type":$accumulationType,
      "int64_t":$lhsComponentCount,
      "int64_t":$rhsComponentCount,
      "int64_t":$numPrimitiveOperations,
      "bool":$allowImpreciseAccumulation);
}

def Stablehlo_GatherDimensionNumbers
    : Stablehlo_Structure<"GatherDimensionNumbers", "gather", "dimensions of a gather"> {
  let parameters = (ins
      DimensionList:$offsetDims,
      DimensionList:$collapsedSliceDims,
      DimensionList:$operandBatchingDims,
      DimensionList:$startIndicesBatchingDims,
      DimensionList:$startIndexMap,
      "int64_t":$indexVectorDim);
}

def Stablehlo_ScatterDimensionNumbers
    : Stablehlo_Structure<"ScatterDimensionNumbers", "scatter", "dimensions of a scatter"> {
  let parameters = (ins
      DimensionList:$updateWindowDims,
      DimensionList:$insertedWindowDims,
      DimensionList:$inputBatchingDims,
      DimensionList:$scatterIndicesBatchingDims,
      DimensionList:$scatterDimsToOperandDims,
      "int64_t":$indexVectorDim);
}

def Stablehlo_ConvDimensionNumbers
    : Stablehlo_Structure<"ConvDimensionNumbers", "conv", "dimensions of a convolution"> {
  let parameters = (ins
      "int64_t":$inputBatchDimension,
      "int64_t":$inputFeatureDimension,
      DimensionList:$inputSpatialDimensions,
      "int64_t":$kernelInputFeatureDimension,
      "int64_t":$kernelOutputFeatureDimension,
      DimensionList:$kernelSpatialDimensions,
      "int64_t":$outputBatchDimension,
      "int64_t":$outputFeatureDimension,
      DimensionList:$outputSpatialDimensions);
  let extraClassDefinition = "";  // Text of its own.
}

def Stablehlo_OutputOperandAlias
    : Stablehlo_Structure<"OutputOperandAlias", "output_operand_alias",
                          "an output of a custom call that shares an operand's memory", 0> {
  let parameters = (ins
      DimensionList:$outputTupleIndices,
      "int64_t":$operandIndex,
      DimensionList:$operandTupleIndices);
}

def Stablehlo_ChannelHandle
    : Stablehlo_Attr<"ChannelHandle", "channel_handle", "number and type of a channel"> {
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let portableParts = ["channel_id", "channel_type"];
  let assemblyFormat = "`<` struct(params) `>`";
}

// The encoding of a tensor type with bounded dimensions: #stablehlo.bounds<16, ?>. The older
// spelling is #stablehlo.type_extensions<bounds = [16, ?]>.
def Stablehlo_TypeExtensions
    : Stablehlo_Attr<"TypeExtensions", "bounds", "bounds of dynamic dimensions",
                     [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def Stablehlo_ResultAccuracy
    : Stablehlo_Structure<"ResultAccuracy", "result_accuracy",
                          "accuracy that is asked of a result", 0> {
  let parameters = (ins
      "::llvm::APFloat":$atol,
      "::llvm::APFloat":$rtol,
      "int64_t":$ulps,
      "::mlir::stablehlo::ResultAccuracyModeAttr":$mode);
}

// Meshes, as an alternative to lists of replica groups.
def Stablehlo_MeshAxis : Stablehlo_Structure<"MeshAxis", "mesh_axis", "a named axis of a mesh", 0> {
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
}

def Stablehlo_Mesh : Stablehlo_Structure<"Mesh", "mesh", "devices arranged by named axes", 0> {
  let parameters = (ins
      "::mlir::ArrayAttr":$axes,
      OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds);
}

// `(1)2`, without angle brackets.
def Stablehlo_SubAxisInfo
    : Stablehlo_Attr<"SubAxisInfo", "sub_axis_info", "the part of an axis that is meant"> {
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`(` $preSize `)` `` $size";
}

def Stablehlo_AxisRef
    : Stablehlo_Structure<"AxisRef", "axis_ref", "an axis of a mesh or a part of it", 0> {
  let parameters = (ins
      "::mlir::StringAttr":$name,
      OptionalParameter<"::mlir::stablehlo::SubAxisInfoAttr">:$subAxisInfo);
}

def Stablehlo_ReplicaGroupMeshAxes
    : Stablehlo_Structure<"ReplicaGroupMeshAxes", "replica_group_mesh_axes",
                          "replica groups as axes of a mesh", 0> {
  // The mesh is a symbol (@mesh) or a #stablehlo.mesh.
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
}

// Attributes of operations. Storage is Attribute where older texts used another
// form that is still read.
class Stablehlo_AttrConstraint<string predicate, string description>
    : Attr<CPred<predicate>, description> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

// array<i64: 0, 1>, or dense<[0, 1]> : tensor<2xi64> as texts before 0.17 have it.
// dimensionsOf() in stablehlo_attributes.h reads both.
def Dimensions
    : Stablehlo_AttrConstraint<"::mlir::stablehlo::isDimensions($_self)",
                               "i64 dense array attribute">;
// array<i1: true, false>, or dense<[true, false]> : tensor<2xi1>.
def Booleans
    : Stablehlo_AttrConstraint<"::mlir::stablehlo::isBooleans($_self)", "i1 dense array attribute">;
def ReplicaGroups
    : Stablehlo_AttrConstraint<"::mlir::stablehlo::isReplicaGroups($_self)",
                               "64-bit signless integer elements or mesh axes">;
def BackendConfig
    : Stablehlo_AttrConstraint<"(::llvm::isa<::mlir::StringAttr, ::mlir::DictionaryAttr>($_self))",
                               "string or dictionary">;

class Stablehlo_IntegerAttr<int width, string predicate, string description>
    : Attr<CPred<"::mlir::stablehlo::isInteger($_self, " # width # ", " # predicate # ")">,
           width # "-bit signless integer attribute whose value is " # description> {
  let storageType = "::mlir::IntegerAttr";
  // Printed without its type.
  let valueType = !if(!eq(width, 64), I64, I32);
  let returnType = "int" # width # "_t";
  let convertFromStorage = "static_cast<int" # width # "_t>($_self.getInt())";
}
def NonNegativeI64 : Stablehlo_IntegerAttr<64, "0", "non-negative">;
def PositiveI64 : Stablehlo_IntegerAttr<64, "1", "positive">;
def NonNegativeI32 : Stablehlo_IntegerAttr<32, "0", "non-negative">;
def PositiveI32 : Stablehlo_IntegerAttr<32, "1", "positive">;

def Layout : Attr<CPred<"::mlir::stablehlo::isLayout($_self)">, "1D tensor of index">;
def PrecisionConfig : TypedArrayAttrBase<Stablehlo_PrecisionAttr, "array of precisions">;
def SymbolArray : TypedArrayAttrBase<FlatSymbolRefAttr, "flat symbol ref array attribute">;
def LayoutArray : TypedArrayAttrBase<Layout, "array of layouts (1D tensors of index)">;
def TilingArray : TypedArrayAttrBase<LayoutArray, "array of arrays of tiles (1D tensors of index)">;
def OutputOperandAliases
    : TypedArrayAttrBase<Stablehlo_OutputOperandAlias, "array of output-operand aliases">;

def FalseByDefault : DefaultValuedOptionalAttr<BoolAttr, "false">;

// Attributes that may be absent. VHLO has them always, then with this value: see
// PortableAttributeFacts in golden/module/operation_facts.h.
class Stablehlo_Optional<Attr attribute, string value> : OptionalAttr<attribute> {
  string portableDefault = value;
  list<string> portableParts =
      !if(!isa<Stablehlo_Attr>(attribute), !cast<Stablehlo_Attr>(attribute).portableParts, []);
}
def WindowDimensions : Stablehlo_Optional<Dimensions, "ones">;
def WindowPadding : Stablehlo_Optional<I64ElementsAttr, "zero padding">;
def WindowReversal : Stablehlo_Optional<Booleans, "no reversal">;
def OptionalDimensions : Stablehlo_Optional<Dimensions, "array<i64>">;
def OptionalPairs : Stablehlo_Optional<I64ElementsAttr, "array<i64>">;
def OptionalPrecision
    : Stablehlo_Optional<PrecisionConfig,
                         "[#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]">;
def OptionalAccuracy
    : Stablehlo_Optional<Stablehlo_ResultAccuracy,
          "#stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>">;
def OptionalAlgorithm : Stablehlo_Optional<Stablehlo_DotAlgorithm, "none">;
def OptionalComparisonType
    : Stablehlo_Optional<Stablehlo_ComparisonTypeAttr, "#stablehlo<comparison_type NOTYPE>">;
def OptionalBackendConfig : Stablehlo_Optional<BackendConfig, "backend_config">;
class OptionalArray<Attr array> : Stablehlo_Optional<array, "[]">;
// VHLO keeps the number of the channel alone.
def OptionalChannel : Stablehlo_Optional<Stablehlo_ChannelHandle, "0 : i64"> {
  let portableParts = ["channel_id"];
}

// --- Types that only StableHLO has.

class Stablehlo_TypeDef<string name, string keyword> : TypeDef<Stablehlo_Dialect, name> {
  let mnemonic = keyword;
}

def Stablehlo_TokenType : Stablehlo_TypeDef<"Token", "token"> {
  let summary = "Orders side effects";
}

def Stablehlo_FutureType : Stablehlo_TypeDef<"Future", "future"> {
  let summary = "What an asynchronous operation will deliver";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
}

#endif
