// The enumerations of VHLO; their values are those of the portable bytecode.
#ifndef VINTAGE_VHLO_ENUMS
#define VINTAGE_VHLO_ENUMS

include "mlir/IR/EnumAttr.td"
include "vhlo/VhloDialect.td"

class VHLO_Enum<string name, string mnemonic, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::mlir::vhlo";
  let genSpecializedAttr = 0;
  string attributeMnemonic = mnemonic;
}

class VHLO_EnumAttr<VHLO_Enum enumeration>
    : EnumAttr<Vhlo_Dialect, enumeration, enumeration.attributeMnemonic>;

class VHLO_Case<string name, int value> : I32EnumAttrCase<name, value>;

def VHLO_ComparisonDirectionV1 : VHLO_Enum<"ComparisonDirectionV1", "comparison_direction_v1", [
  VHLO_Case<"EQ", 0>, VHLO_Case<"NE", 1>, VHLO_Case<"GE", 2>, VHLO_Case<"GT", 3>,
  VHLO_Case<"LE", 4>, VHLO_Case<"LT", 5>]>;
def VHLO_ComparisonTypeV1 : VHLO_Enum<"ComparisonTypeV1", "comparison_type_v1", [
  VHLO_Case<"NOTYPE", 0>, VHLO_Case<"FLOAT", 1>, VHLO_Case<"TOTALORDER", 2>,
  VHLO_Case<"SIGNED", 3>, VHLO_Case<"UNSIGNED", 4>]>;
def VHLO_CustomCallApiVersionV1 : VHLO_Enum<"CustomCallApiVersionV1", "api_version_v1", [
  VHLO_Case<"API_VERSION_UNSPECIFIED", 0>, VHLO_Case<"API_VERSION_ORIGINAL", 1>,
  VHLO_Case<"API_VERSION_STATUS_RETURNING", 2>,
  VHLO_Case<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  VHLO_Case<"API_VERSION_TYPED_FFI", 4>]>;
def VHLO_FftTypeV1 : VHLO_Enum<"FftTypeV1", "fft_type_v1", [
  VHLO_Case<"FFT", 0>, VHLO_Case<"IFFT", 1>, VHLO_Case<"RFFT", 2>, VHLO_Case<"IRFFT", 3>]>;
def VHLO_PrecisionV1 : VHLO_Enum<"PrecisionV1", "precision_v1", [
  VHLO_Case<"DEFAULT", 0>, VHLO_Case<"HIGH", 1>, VHLO_Case<"HIGHEST", 2>]>;
def VHLO_ResultAccuracyModeV1 : VHLO_Enum<"ResultAccuracyModeV1", "result_accuracy_mode_v1", [
  VHLO_Case<"DEFAULT", 0>, VHLO_Case<"HIGHEST", 1>, VHLO_Case<"TOLERANCE", 2>]>;
def VHLO_RngAlgorithmV1 : VHLO_Enum<"RngAlgorithmV1", "rng_algorithm_v1", [
  VHLO_Case<"DEFAULT", 0>, VHLO_Case<"THREE_FRY", 1>, VHLO_Case<"PHILOX", 2>]>;
def VHLO_RngDistributionV1 : VHLO_Enum<"RngDistributionV1", "rng_distribution_v1", [
  VHLO_Case<"UNIFORM", 1>, VHLO_Case<"NORMAL", 2>]>;
def VHLO_TransposeV1 : VHLO_Enum<"TransposeV1", "transpose_v1", [
  VHLO_Case<"TRANSPOSE_INVALID", 0>, VHLO_Case<"NO_TRANSPOSE", 1>, VHLO_Case<"TRANSPOSE", 2>,
  VHLO_Case<"ADJOINT", 3>]>;

def VHLO_ComparisonDirectionV1Attr : VHLO_EnumAttr<VHLO_ComparisonDirectionV1>;
def VHLO_ComparisonTypeV1Attr : VHLO_EnumAttr<VHLO_ComparisonTypeV1>;
def VHLO_CustomCallApiVersionV1Attr : VHLO_EnumAttr<VHLO_CustomCallApiVersionV1>;
def VHLO_FftTypeV1Attr : VHLO_EnumAttr<VHLO_FftTypeV1>;
def VHLO_PrecisionV1Attr : VHLO_EnumAttr<VHLO_PrecisionV1>;
def VHLO_ResultAccuracyModeV1Attr : VHLO_EnumAttr<VHLO_ResultAccuracyModeV1>;
def VHLO_RngAlgorithmV1Attr : VHLO_EnumAttr<VHLO_RngAlgorithmV1>;
def VHLO_RngDistributionV1Attr : VHLO_EnumAttr<VHLO_RngDistributionV1>;
def VHLO_TransposeV1Attr : VHLO_EnumAttr<VHLO_TransposeV1>;

#endif
