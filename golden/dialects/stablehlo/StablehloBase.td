// The StableHLO dialect, its operation base class, and the constraints on
// operand and result types.
//
// A constraint is one call of a predicate in stablehlo_attributes.h with a mask of
// element kinds, which keeps the generated code small.
#ifndef VINTAGE_STABLEHLO_BASE
#define VINTAGE_STABLEHLO_BASE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"

def Stablehlo_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::mlir::stablehlo";
  let dependentDialects = ["::mlir::quant::QuantDialect"];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void addAttributes();
    void addTypes();

    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser& parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attribute,
                        ::mlir::DialectAsmPrinter& printer) const override;
  }];
}

class Stablehlo_Constraint<string predicate, string description, string cppType = "::mlir::Type">
    : Type<CPred<predicate>, description, cppType>;

// Kinds of elements are named as in C++, without the k. Accessors of operands and results give the
// type as a RankedTensorType.
class Stablehlo_TensorOf<list<string> elements, string description, int rank = -1,
                         bit isStatic = false>
    : Stablehlo_Constraint<"::mlir::stablehlo::isTensorOf($_self, ::mlir::stablehlo::k" #
                               !interleave(elements, " | ::mlir::stablehlo::k") #
                               !if(!lt(rank, 0), "", ", " # rank) # !if(isStatic, ", true)", ")"),
                           !if(isStatic, "statically shaped ", "") #
                               !if(!lt(rank, 0), "ranked", rank # "D") # " tensor of " #
                               description # " values",
                           "::mlir::RankedTensorType">;

def BoolTensor : Stablehlo_TensorOf<["Bool"], "bool">;
def IntegerTensor : Stablehlo_TensorOf<["Integer"], "2/4/8/16/32/64-bit integer">;
def FloatTensor : Stablehlo_TensorOf<["Float"], "4/6/8/16/32/64-bit float">;
def ComplexTensor : Stablehlo_TensorOf<["Complex"], "complex with 32/64-bit float elements">;
def QuantizedTensor
    : Stablehlo_TensorOf<["PerTensorQuantized", "PerAxisQuantized"], "quantized integer">;
def BoolOrIntegerTensor
    : Stablehlo_TensorOf<["Bool", "Integer"], "bool or 2/4/8/16/32/64-bit integer">;
def IntegerOrIndexTensor : Stablehlo_TensorOf<["Bool", "Integer", "Index"], "integer or index">;
def IntegerOrFloatTensor : Stablehlo_TensorOf<["Integer", "Float"], "integer or float">;
def FloatOrComplexTensor : Stablehlo_TensorOf<["Float", "Complex"], "float or complex">;
def FloatOrQuantizedTensor
    : Stablehlo_TensorOf<["Float", "PerTensorQuantized"], "float or per-tensor quantized integer">;
def FloatOrAnyQuantizedTensor
    : Stablehlo_TensorOf<["Float", "PerTensorQuantized", "PerAxisQuantized"],
                         "float or quantized integer">;
def FloatComplexOrQuantizedTensor
    : Stablehlo_TensorOf<["Float", "Complex", "PerTensorQuantized"],
                         "float, complex or per-tensor quantized integer">;
def NumericTensor
    : Stablehlo_TensorOf<["Integer", "Float", "Complex", "PerTensorQuantized"],
                         "integer, float, complex or per-tensor quantized integer">;
def SignedNumericTensor
    : Stablehlo_TensorOf<["SignlessInteger", "Float", "Complex", "PerTensorQuantized"],
                         "signed integer, float, complex or per-tensor quantized integer">;
def NonQuantizedTensor : Stablehlo_TensorOf<["Plain"], "bool, integer, float or complex">;
def Tensor
    : Stablehlo_TensorOf<["Any"], "bool, integer, float, complex or per-tensor quantized integer">;
def Stablehlo_AnyTensor
    : Stablehlo_TensorOf<["Any", "PerAxisQuantized"],
                         "bool, integer, float, complex or quantized integer">;

def Int32Tensor : RankedTensorOf<[I32]>;
def UInt32Tensor : RankedTensorOf<[UI32]>;
def Float32Or64Tensor : RankedTensorOf<[F32, F64]> {
  let summary = "ranked tensor of 32/64-bit float values";
}

def Scalar
    : Stablehlo_TensorOf<["Any"], "bool, integer, float, complex or per-tensor quantized integer",
                         0>;
def IntegerScalar : Stablehlo_TensorOf<["Integer"], "2/4/8/16/32/64-bit integer", 0>;
def BoolIntegerOrFloatScalar
    : Stablehlo_TensorOf<["Bool", "Integer", "Float"], "bool, integer or float", 0>;
def FloatOrQuantizedVector
    : Stablehlo_TensorOf<["Float", "PerTensorQuantized"],
                         "float or per-tensor quantized integer", 1>;
def DimensionVector : Stablehlo_TensorOf<["Integer", "Index"], "index or integer", 1>;
def StaticDimensionVector : Stablehlo_TensorOf<["Integer", "Index"], "index or integer", 1, true>;
def StaticIntegerVector : Stablehlo_TensorOf<["Integer"], "integer", 1, true>;
def StaticIntegerMatrix : Stablehlo_TensorOf<["Integer"], "integer", 2, true>;

// Values that are not tensors, alone and in unions.
class Stablehlo_ValueOf<list<string> kinds, string description>
    : Stablehlo_Constraint<"::mlir::stablehlo::isValueOf($_self, ::mlir::stablehlo::k" #
                               !interleave(kinds, "Value | ::mlir::stablehlo::k") # "Value)",
                           description>;

def Token : Stablehlo_ValueOf<["Token"], "token">;
def Tuple : Stablehlo_ValueOf<["Tuple"], "tuple of tensors, tokens, buffers and tuples">;
def Future : Stablehlo_ValueOf<["Future"], "future">;
def TensorOrToken : Stablehlo_ValueOf<["Tensor", "Token"], "ranked tensor or token">;
def TensorTokenOrBuffer
    : Stablehlo_ValueOf<["Tensor", "Token", "Buffer", "Future"],
                        "ranked tensor, token, buffer or future">;
def Value
    : Stablehlo_ValueOf<["Tensor", "Token", "Tuple", "Buffer"],
                        "ranked tensor, token, tuple or buffer">;
def CustomCallValue
    : Stablehlo_ValueOf<["Tensor", "Unranked", "Token", "Tuple", "Buffer", "Future"],
                        "tensor, token, tuple, buffer or future">;

// How the shape of a result follows from the operands.
class ShapeRule<string name> { string cppName = "ShapeRule::" # name; }
def ShapeIsElsewhere : ShapeRule<"kOther">;        // By static_results.cpp, or not.
def ShapeIsElementwise : ShapeRule<"kElementwise">;  // That of all operands that are no scalars.
def ShapeIsPairwise : ShapeRule<"kPairwise">;      // That of the operand with the result's number.
def ShapeIsBroadcast : ShapeRule<"kBroadcast">;    // Elementwise, after NumPy's broadcasting.

// The second form that VHLO gave to an operation: since when, and what it alone can say.
class SecondForm<string version, string what, list<string> attributes = []> {
  string since = version;  // "1, 10, 0"
  string feature = what;   // "an algorithm"
  // The attributes of VHLO that came with it. At their defaults, the first form says the same.
  list<string> added = attributes;
  bit oneOperandBefore = 0;  // The first form has one operand and one result.
  bit noRegionsBefore = 0;
  bit otherBefore = 0;  // The first form stands in VhloOps.td.
}
def NoSecondForm : SecondForm<"0, 0, 0", "">;
def SeveralOperands : SecondForm<"1, 5, 0", "several operands"> {
  let oneOperandBefore = 1;
}
def BatchingDimensions
    : SecondForm<"1, 1, 0", "batching dimensions",
                           ["operand_batching_dims", "start_indices_batching_dims"]>;
def ScatterBatchingDimensions
    : SecondForm<"1, 1, 0", "batching dimensions",
                           ["input_batching_dims", "scatter_indices_batching_dims"]>;
def DynamicRoot
    : SecondForm<"1, 20, 0", "several operands or a dynamic root", ["has_dynamic_root"]> {
  let oneOperandBefore = 1;
}
def CompositeRegions : SecondForm<"1, 14, 0", "regions"> {
  let noRegionsBefore = 1;
}
def NoPaddingAttribute : SecondForm<"0, 20, 0", "no padding attribute"> {
  let otherBefore = 1;
}
def SourceTargetPairs : SecondForm<"1, 12, 0", "source-target pairs", ["source_target_pairs"]>;

// An operation, and all that is known of it: syntax and constraints, from which
// its class is generated, its portable forms (vhlo/VhloOps.td) and the facts of
// golden/module/operation_facts.h.
class Stablehlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits> {
  string since = "0, 9, 0";  // The StableHLO that introduced its portable form.
  SecondForm second = NoSecondForm;
  ShapeRule shape = ShapeIsElsewhere;
  bit commutative = 0;
  bit mayWiden = 0;  // Since 0.17.0, results may have wider elements than operands.

  // Text in front of the attributes and `: (operand types) -> result types`.
  string syntax = "";
  let assemblyFormat =
      !if(!empty(syntax), ?, syntax # " attr-dict `:` functional-type(operands, results)");

  // Most operations have these.
  let results = (outs Stablehlo_AnyTensor:$result);
  let hasVerifier = 1;
  // The number of the constraint on the shape of the results. Where it is given, the class has an
  // inferShape() that checks the other constraints, and verify() calls it.
  int shapeConstraint = 0;
  let extraClassDeclaration = !if(shapeConstraint,
      "::mlir::FailureOr<::llvm::SmallVector<int64_t>> inferShape();\n", "");
  let extraClassDefinition = !if(shapeConstraint,
      "::llvm::LogicalResult $cppClass::verify() {\n" #
      "  return ::mlir::stablehlo::checkResultShapes({*this, " # shapeConstraint #
      "}, inferShape());\n}\n", "");
  // One builder for all, instead of the half dozen that each would get.
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::ValueRange":$values,
                                 "::llvm::ArrayRef<::mlir::NamedAttribute>":$attributes), [{
    $_state.addTypes(types);
    $_state.addOperands(values);
    $_state.addAttributes(attributes);
  }]>];
}

class Stablehlo_VariadicOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, traits> {
  let results = (outs Variadic<Stablehlo_AnyTensor>:$results);
}

// There is nothing that its types do not say.
class Stablehlo_UncheckedOp<string mnemonic, list<Trait> traits = []>
    : Stablehlo_Op<mnemonic, traits> {
  let hasVerifier = 0;
}

#endif
