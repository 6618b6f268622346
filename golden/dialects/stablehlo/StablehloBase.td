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

// Accessors of operands and results give the type as a RankedTensorType.
class Stablehlo_TensorOf<list<string> elements, string description, int rank = -1,
                         bit isStatic = false>
    : Stablehlo_Constraint<"::mlir::stablehlo::isTensorOf($_self, " #
                               !interleave(elements, " | ") #
                               !if(!lt(rank, 0), "", ", " # rank) # !if(isStatic, ", true)", ")"),
                           !if(isStatic, "statically shaped ", "") #
                               !if(!lt(rank, 0), "ranked", rank # "D") # " tensor of " #
                               description # " values",
                           "::mlir::RankedTensorType">;

// Element kinds.
defvar kBool = "::mlir::stablehlo::kBool";
defvar kSignless = "::mlir::stablehlo::kSignlessInteger";
defvar kUnsigned = "::mlir::stablehlo::kUnsignedInteger";
defvar kInteger = !strconcat(kSignless, " | ", kUnsigned);
defvar kFloat = "::mlir::stablehlo::kFloat";
defvar kComplex = "::mlir::stablehlo::kComplex";
defvar kQuantized = "::mlir::stablehlo::kPerTensorQuantized";
defvar kPerAxis = "::mlir::stablehlo::kPerAxisQuantized";
defvar kIndex = "::mlir::stablehlo::kIndex";
defvar kPlain = !interleave([kBool, kInteger, kFloat, kComplex], " | ");
defvar kAny = !strconcat(kPlain, " | ", kQuantized);

def Stablehlo_BoolTensor : Stablehlo_TensorOf<[kBool], "bool">;
def Stablehlo_IntegerTensor : Stablehlo_TensorOf<[kInteger], "2/4/8/16/32/64-bit integer">;
def Stablehlo_FloatTensor : Stablehlo_TensorOf<[kFloat], "4/6/8/16/32/64-bit float">;
def Stablehlo_ComplexTensor
    : Stablehlo_TensorOf<[kComplex], "complex with 32/64-bit float elements">;
def Stablehlo_QuantizedTensor : Stablehlo_TensorOf<[kQuantized, kPerAxis], "quantized integer">;
def Stablehlo_BoolOrIntegerTensor
    : Stablehlo_TensorOf<[kBool, kInteger], "bool or 2/4/8/16/32/64-bit integer">;
def Stablehlo_IntegerOrIndexTensor
    : Stablehlo_TensorOf<[kBool, kInteger, kIndex], "integer or index">;
def Stablehlo_IntegerOrFloatTensor : Stablehlo_TensorOf<[kInteger, kFloat], "integer or float">;
def Stablehlo_FloatOrComplexTensor : Stablehlo_TensorOf<[kFloat, kComplex], "float or complex">;
def Stablehlo_FloatOrQuantizedTensor
    : Stablehlo_TensorOf<[kFloat, kQuantized], "float or per-tensor quantized integer">;
def Stablehlo_FloatOrAnyQuantizedTensor
    : Stablehlo_TensorOf<[kFloat, kQuantized, kPerAxis], "float or quantized integer">;
def Stablehlo_FloatComplexOrQuantizedTensor
    : Stablehlo_TensorOf<[kFloat, kComplex, kQuantized],
                         "float, complex or per-tensor quantized integer">;
def Stablehlo_NumericTensor
    : Stablehlo_TensorOf<[kInteger, kFloat, kComplex, kQuantized],
                         "integer, float, complex or per-tensor quantized integer">;
def Stablehlo_SignedNumericTensor
    : Stablehlo_TensorOf<[kSignless, kFloat, kComplex, kQuantized],
                         "signed integer, float, complex or per-tensor quantized integer">;
def Stablehlo_NonQuantizedTensor : Stablehlo_TensorOf<[kPlain], "bool, integer, float or complex">;
def Stablehlo_Tensor
    : Stablehlo_TensorOf<[kAny], "bool, integer, float, complex or per-tensor quantized integer">;
def Stablehlo_AnyTensor
    : Stablehlo_TensorOf<[kAny, kPerAxis], "bool, integer, float, complex or quantized integer">;

def Stablehlo_Int32Tensor : RankedTensorOf<[I32]>;
def Stablehlo_UInt32Tensor : RankedTensorOf<[UI32]>;
def Stablehlo_Float32Or64Tensor : RankedTensorOf<[F32, F64]> {
  let summary = "ranked tensor of 32/64-bit float values";
}

def Stablehlo_Scalar
    : Stablehlo_TensorOf<[kAny], "bool, integer, float, complex or per-tensor quantized integer",
                         0>;
def Stablehlo_IntegerScalar : Stablehlo_TensorOf<[kInteger], "2/4/8/16/32/64-bit integer", 0>;
def Stablehlo_BoolIntegerOrFloatScalar
    : Stablehlo_TensorOf<[kBool, kInteger, kFloat], "bool, integer or float", 0>;
def Stablehlo_FloatOrQuantizedVector
    : Stablehlo_TensorOf<[kFloat, kQuantized], "float or per-tensor quantized integer", 1>;
def Stablehlo_DimensionVector : Stablehlo_TensorOf<[kInteger, kIndex], "index or integer", 1>;
def Stablehlo_StaticDimensionVector
    : Stablehlo_TensorOf<[kInteger, kIndex], "index or integer", 1, true>;
def Stablehlo_StaticIntegerVector : Stablehlo_TensorOf<[kInteger], "integer", 1, true>;
def Stablehlo_StaticIntegerMatrix : Stablehlo_TensorOf<[kInteger], "integer", 2, true>;

// Values that are not tensors, alone and in unions.
class Stablehlo_ValueOf<list<string> kinds, string description>
    : Stablehlo_Constraint<"::mlir::stablehlo::isValueOf($_self, " # !interleave(kinds, " | ") # ")",
                           description>;
defvar kTensorValue = "::mlir::stablehlo::kTensorValue";
defvar kTokenValue = "::mlir::stablehlo::kTokenValue";
defvar kTupleValue = "::mlir::stablehlo::kTupleValue";
defvar kBufferValue = "::mlir::stablehlo::kBufferValue";
defvar kFutureValue = "::mlir::stablehlo::kFutureValue";
defvar kUnrankedValue = "::mlir::stablehlo::kUnrankedValue";

def Stablehlo_Token : Stablehlo_ValueOf<[kTokenValue], "token">;
def Stablehlo_Tuple
    : Stablehlo_ValueOf<[kTupleValue], "tuple of tensors, tokens, buffers and tuples">;
def Stablehlo_Future : Stablehlo_ValueOf<[kFutureValue], "future">;
def Stablehlo_TensorOrToken
    : Stablehlo_ValueOf<[kTensorValue, kTokenValue], "ranked tensor or token">;
def Stablehlo_TensorTokenOrBuffer
    : Stablehlo_ValueOf<[kTensorValue, kTokenValue, kBufferValue, kFutureValue],
                        "ranked tensor, token, buffer or future">;
def Stablehlo_Value
    : Stablehlo_ValueOf<[kTensorValue, kTokenValue, kTupleValue, kBufferValue],
                        "ranked tensor, token, tuple or buffer">;
def Stablehlo_CustomCallValue
    : Stablehlo_ValueOf<[kTensorValue, kUnrankedValue, kTokenValue, kTupleValue, kBufferValue,
                         kFutureValue],
                        "tensor, token, tuple, buffer or future">;

// How the shape of a result follows from the operands.
class ShapeRule<string name> { string cppName = "ShapeRule::" # name; }
def ShapeIsElsewhere : ShapeRule<"kOther">;        // static_results.cpp knows, or nobody.
def ShapeIsElementwise : ShapeRule<"kElementwise">;  // That of all operands that are no scalars.
def ShapeIsPairwise : ShapeRule<"kPairwise">;      // That of the operand with the result's number.
def ShapeIsBroadcast : ShapeRule<"kBroadcast">;    // Elementwise, after NumPy's broadcasting.

// The second form that VHLO gave to an operation: since when, and what it alone can say.
class Stablehlo_SecondForm<string version, string what, list<string> attributes = []> {
  string since = version;  // "1, 10, 0"
  string feature = what;   // "an algorithm"
  // The attributes of VHLO that came with it. At their defaults, the first form says the same.
  list<string> added = attributes;
  bit oneOperandBefore = 0;  // The first form has one operand and one result.
  bit noRegionsBefore = 0;
  bit otherBefore = 0;  // The first form stands in VhloOps.td.
}
def Stablehlo_NoSecondForm : Stablehlo_SecondForm<"0, 0, 0", "">;
def Stablehlo_SeveralOperands : Stablehlo_SecondForm<"1, 5, 0", "several operands"> {
  let oneOperandBefore = 1;
}
def Stablehlo_BatchingDimensions
    : Stablehlo_SecondForm<"1, 1, 0", "batching dimensions",
                           ["operand_batching_dims", "start_indices_batching_dims"]>;
def Stablehlo_ScatterBatchingDimensions
    : Stablehlo_SecondForm<"1, 1, 0", "batching dimensions",
                           ["input_batching_dims", "scatter_indices_batching_dims"]>;
def Stablehlo_DynamicRoot
    : Stablehlo_SecondForm<"1, 20, 0", "several operands or a dynamic root", ["has_dynamic_root"]> {
  let oneOperandBefore = 1;
}
def Stablehlo_CompositeRegions : Stablehlo_SecondForm<"1, 14, 0", "regions"> {
  let noRegionsBefore = 1;
}
def Stablehlo_NoPaddingAttribute : Stablehlo_SecondForm<"0, 20, 0", "no padding attribute"> {
  let otherBefore = 1;
}
def Stablehlo_SourceTargetPairs
    : Stablehlo_SecondForm<"1, 12, 0", "source-target pairs", ["source_target_pairs"]>;

// An operation, and all that is known of it: syntax and constraints, from which
// its class is generated, its portable forms (vhlo/VhloOps.td) and the facts of
// golden/module/operation_facts.h.
class Stablehlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<Stablehlo_Dialect, mnemonic, traits> {
  string since = "0, 9, 0";  // The StableHLO that introduced its portable form.
  Stablehlo_SecondForm second = Stablehlo_NoSecondForm;
  ShapeRule shape = ShapeIsElsewhere;
  bit commutative = 0;
  bit mayWiden = 0;  // Since 0.17.0, results may have wider elements than operands.

  // Text in front of the attributes and `: (operand types) -> result types`.
  string syntax = "";
  let assemblyFormat =
      !if(!empty(syntax), ?, syntax # " attr-dict `:` functional-type(operands, results)");

  // What most have.
  let results = (outs Stablehlo_AnyTensor:$result);
  let hasVerifier = 1;
  // The number of the constraint on the shape of the results, where the class has an inferShape(),
  // which checks the other constraints: to verify is to ask it.
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

#endif
