// Enumerations.
#ifndef VINTAGE_STABLEHLO_ENUMS
#define VINTAGE_STABLEHLO_ENUMS

include "golden/dialects/EnumCases.td"
include "golden/dialects/stablehlo/StablehloBase.td"

class Stablehlo_Enum<string name, string description, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, description, cases> {
  let cppNamespace = "::mlir::stablehlo";
  let genSpecializedAttr = 0;
}

// Printed as #stablehlo<keyword CASE>.
class Stablehlo_EnumAttr<EnumInfo info, string keyword>
    : EnumAttr<Stablehlo_Dialect, info, keyword> {
  let assemblyFormat = "$value";
}

def Stablehlo_Precision : Stablehlo_Enum<"Precision", "precision of an operand", PrecisionCases>;
def Stablehlo_PrecisionAttr : Stablehlo_EnumAttr<Stablehlo_Precision, "precision">;

def Stablehlo_ResultAccuracyMode
    : Stablehlo_Enum<"ResultAccuracyMode", "accuracy that is asked of a result", ResultAccuracyModeCases>;
def Stablehlo_ResultAccuracyModeAttr
    : EnumAttr<Stablehlo_Dialect, Stablehlo_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

def Stablehlo_FftType : Stablehlo_Enum<"FftType", "kind of Fourier transform", FftTypeCases>;
def Stablehlo_FftTypeAttr : Stablehlo_EnumAttr<Stablehlo_FftType, "fft_type">;

def Stablehlo_ComparisonDirection
    : Stablehlo_Enum<"ComparisonDirection", "which comparison", ComparisonDirectionCases>;
def Stablehlo_ComparisonDirectionAttr
    : Stablehlo_EnumAttr<Stablehlo_ComparisonDirection, "comparison_direction">;

def Stablehlo_ComparisonType : Stablehlo_Enum<"ComparisonType", "how values are compared", ComparisonTypeCases>;
def Stablehlo_ComparisonTypeAttr
    : Stablehlo_EnumAttr<Stablehlo_ComparisonType, "comparison_type">;

def Stablehlo_Transpose : Stablehlo_Enum<"Transpose", "whether a matrix is transposed", TransposeCases>;
def Stablehlo_TransposeAttr : Stablehlo_EnumAttr<Stablehlo_Transpose, "transpose">;

def Stablehlo_RngDistribution
    : Stablehlo_Enum<"RngDistribution", "distribution of random numbers", RngDistributionCases>;
def Stablehlo_RngDistributionAttr
    : Stablehlo_EnumAttr<Stablehlo_RngDistribution, "rng_distribution">;

def Stablehlo_RngAlgorithm : Stablehlo_Enum<"RngAlgorithm", "algorithm of random bits", RngAlgorithmCases>;
def Stablehlo_RngAlgorithmAttr : Stablehlo_EnumAttr<Stablehlo_RngAlgorithm, "rng_algorithm">;

// Written as a plain number: `api_version = 4 : i32`.
def Stablehlo_CustomCallApiVersionAttr
    : I32EnumAttr<"CustomCallApiVersion", "version of the custom-call interface", CustomCallApiVersionCases> {
  let cppNamespace = "::mlir::stablehlo";
}

#endif
