// The enumerations that StableHLO and VHLO share, CHLO some of them, with the numbers that upstream
// gives their cases.
#ifndef VINTAGE_ENUM_CASES
#define VINTAGE_ENUM_CASES

include "mlir/IR/EnumAttr.td"

// `keyword` names its attributes in texts, `what` in messages; `number` is that of VHLO's bytecode,
// and `version` the StableHLO that introduced it.
class SharedEnum<string keywordText, string whatItIs, int bytecodeNumber,
                 list<I32EnumAttrCase> allCases, string version = "0, 9, 0"> {
  string className = !subst("Shared_", "", NAME);
  string keyword = keywordText;
  string what = whatItIs;
  int number = bytecodeNumber;
  list<I32EnumAttrCase> cases = allCases;
  string since = version;
}

def Shared_ComparisonDirection : SharedEnum<"comparison_direction", "comparison direction", 3, [
  I32EnumAttrCase<"EQ", 0>, I32EnumAttrCase<"NE", 1>, I32EnumAttrCase<"GE", 2>,
  I32EnumAttrCase<"GT", 3>, I32EnumAttrCase<"LE", 4>, I32EnumAttrCase<"LT", 5>]>;
def Shared_ComparisonType : SharedEnum<"comparison_type", "comparison type", 4, [
  I32EnumAttrCase<"NOTYPE", 0>, I32EnumAttrCase<"FLOAT", 1>, I32EnumAttrCase<"TOTALORDER", 2>,
  I32EnumAttrCase<"SIGNED", 3>, I32EnumAttrCase<"UNSIGNED", 4>]>;
def Shared_CustomCallApiVersion : SharedEnum<"api_version", "API version", 5, [
  I32EnumAttrCase<"API_VERSION_UNSPECIFIED", 0>, I32EnumAttrCase<"API_VERSION_ORIGINAL", 1>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING", 2>,
  I32EnumAttrCase<"API_VERSION_STATUS_RETURNING_UNIFIED", 3>,
  I32EnumAttrCase<"API_VERSION_TYPED_FFI", 4>]>;
def Shared_FftType : SharedEnum<"fft_type", "FFT type", 7, [
  I32EnumAttrCase<"FFT", 0>, I32EnumAttrCase<"IFFT", 1>, I32EnumAttrCase<"RFFT", 2>,
  I32EnumAttrCase<"IRFFT", 3>]>;
def Shared_Precision : SharedEnum<"precision", "precision", 11, [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGH", 1>, I32EnumAttrCase<"HIGHEST", 2>]>;
def Shared_ResultAccuracyMode : SharedEnum<"result_accuracy_mode", "accuracy mode", 19, [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"HIGHEST", 1>, I32EnumAttrCase<"TOLERANCE", 2>],
  "1, 9, 0">;
def Shared_RngAlgorithm : SharedEnum<"rng_algorithm", "random number algorithm", 12, [
  I32EnumAttrCase<"DEFAULT", 0>, I32EnumAttrCase<"THREE_FRY", 1>, I32EnumAttrCase<"PHILOX", 2>]>;
def Shared_RngDistribution : SharedEnum<"rng_distribution", "random distribution", 13, [
  I32EnumAttrCase<"UNIFORM", 1>, I32EnumAttrCase<"NORMAL", 2>]>;
def Shared_Transpose : SharedEnum<"transpose", "transpose", 16, [
  I32EnumAttrCase<"TRANSPOSE_INVALID", 0>, I32EnumAttrCase<"NO_TRANSPOSE", 1>,
  I32EnumAttrCase<"TRANSPOSE", 2>, I32EnumAttrCase<"ADJOINT", 3>]>;

// The enumeration of a dialect.
class DialectEnum<SharedEnum shared, Dialect dialect, string suffix = "">
    : I32EnumAttr<shared.className # suffix, shared.what, shared.cases> {
  let cppNamespace = dialect.cppNamespace;
  let genSpecializedAttr = 0;
}

#endif
