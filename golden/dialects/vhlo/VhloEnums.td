// The enumerations of VHLO; their values are those of the portable bytecode.
#ifndef VINTAGE_VHLO_ENUMS
#define VINTAGE_VHLO_ENUMS

include "golden/dialects/EnumCases.td"
include "golden/dialects/vhlo/VhloDialect.td"

class VHLO_Enum<string name, string mnemonic, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::mlir::vhlo";
  let genSpecializedAttr = 0;
  string attributeMnemonic = mnemonic;
}

// With its number in the bytecode and what messages call it.
class VHLO_EnumAttr<VHLO_Enum enumeration, int number, string what, string version = "0, 9, 0">
    : EnumAttr<Vhlo_Dialect, enumeration, enumeration.attributeMnemonic> {
  let extraClassDeclaration = VHLO_Portable<number, version>.declarations #
      "static constexpr ::llvm::StringLiteral kWhat = \"" # what # "\";\n" #
      "static auto symbolize(uint32_t value) { return symbolize" # enumeration.className #
      "(value); }\n";
}

def VHLO_ComparisonDirectionV1
    : VHLO_Enum<"ComparisonDirectionV1", "comparison_direction_v1", ComparisonDirectionCases>;
def VHLO_ComparisonTypeV1
    : VHLO_Enum<"ComparisonTypeV1", "comparison_type_v1", ComparisonTypeCases>;
def VHLO_CustomCallApiVersionV1
    : VHLO_Enum<"CustomCallApiVersionV1", "api_version_v1", CustomCallApiVersionCases>;
def VHLO_FftTypeV1 : VHLO_Enum<"FftTypeV1", "fft_type_v1", FftTypeCases>;
def VHLO_PrecisionV1 : VHLO_Enum<"PrecisionV1", "precision_v1", PrecisionCases>;
def VHLO_ResultAccuracyModeV1
    : VHLO_Enum<"ResultAccuracyModeV1", "result_accuracy_mode_v1", ResultAccuracyModeCases>;
def VHLO_RngAlgorithmV1 : VHLO_Enum<"RngAlgorithmV1", "rng_algorithm_v1", RngAlgorithmCases>;
def VHLO_RngDistributionV1
    : VHLO_Enum<"RngDistributionV1", "rng_distribution_v1", RngDistributionCases>;
def VHLO_TransposeV1 : VHLO_Enum<"TransposeV1", "transpose_v1", TransposeCases>;

def VHLO_ComparisonDirectionV1Attr
    : VHLO_EnumAttr<VHLO_ComparisonDirectionV1, 3, "comparison direction">;
def VHLO_ComparisonTypeV1Attr : VHLO_EnumAttr<VHLO_ComparisonTypeV1, 4, "comparison type">;
def VHLO_CustomCallApiVersionV1Attr : VHLO_EnumAttr<VHLO_CustomCallApiVersionV1, 5, "API version">;
def VHLO_FftTypeV1Attr : VHLO_EnumAttr<VHLO_FftTypeV1, 7, "FFT type">;
def VHLO_PrecisionV1Attr : VHLO_EnumAttr<VHLO_PrecisionV1, 11, "precision">;
def VHLO_ResultAccuracyModeV1Attr
    : VHLO_EnumAttr<VHLO_ResultAccuracyModeV1, 19, "accuracy mode", "1, 9, 0">;
def VHLO_RngAlgorithmV1Attr : VHLO_EnumAttr<VHLO_RngAlgorithmV1, 12, "random number algorithm">;
def VHLO_RngDistributionV1Attr : VHLO_EnumAttr<VHLO_RngDistributionV1, 13, "random distribution">;
def VHLO_TransposeV1Attr : VHLO_EnumAttr<VHLO_TransposeV1, 16, "transpose">;

#endif
