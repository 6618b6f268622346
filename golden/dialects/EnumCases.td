// The enumerations that StableHLO and VHLO share, CHLO some of them, with the numbers that upstream
// gives their cases.
#ifndef VINTAGE_ENUM_CASES
#define VINTAGE_ENUM_CASES

include "mlir/IR/EnumAttr.td"

// `keyword` names its attributes in texts, `what` in messages; `number` is that of VHLO's bytecode,
// and `version` the StableHLO that introduced it. The cases are numbered from `firstCase`.
class SharedEnum<string keywordText, string whatItIs, int bytecodeNumber, list<string> caseNames,
                 string version = "0, 9, 0", int firstCase = 0> {
  string className = !subst("Shared_", "", NAME);
  string keyword = keywordText;
  string what = whatItIs;
  int number = bytecodeNumber;
  list<I32EnumAttrCase> cases = !foreach(i, !range(!size(caseNames)),
                                         I32EnumAttrCase<caseNames[i], !add(firstCase, i)>);
  string since = version;
  int lastCase = !add(firstCase, !sub(!size(caseNames), 1));
  // The StableHLO that introduced the last case, where the others are older.
  string lastCaseSince = version;
}

def Shared_ComparisonDirection : SharedEnum<"comparison_direction", "comparison direction", 3,
    ["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def Shared_ComparisonType : SharedEnum<"comparison_type", "comparison type", 4,
    ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED", "WEAKORDER"]> {
  let lastCaseSince = "1, 22, 0";
}
def Shared_CustomCallApiVersion : SharedEnum<"api_version", "API version", 5,
    ["API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
     "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"]>;
def Shared_FftType : SharedEnum<"fft_type", "FFT type", 7, ["FFT", "IFFT", "RFFT", "IRFFT"]>;
def Shared_Precision : SharedEnum<"precision", "precision", 11, ["DEFAULT", "HIGH", "HIGHEST"]>;
def Shared_ResultAccuracyMode : SharedEnum<"result_accuracy_mode", "accuracy mode", 19,
    ["DEFAULT", "HIGHEST", "TOLERANCE"], "1, 9, 0">;
def Shared_RngAlgorithm : SharedEnum<"rng_algorithm", "random number algorithm", 12,
    ["DEFAULT", "THREE_FRY", "PHILOX"]>;
def Shared_RngDistribution : SharedEnum<"rng_distribution", "random distribution", 13,
    ["UNIFORM", "NORMAL"], "0, 9, 0", 1>;
def Shared_Transpose : SharedEnum<"transpose", "transpose", 16,
    ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]>;

// The enumeration of a dialect.
class DialectEnum<SharedEnum shared, Dialect dialect, string suffix = "">
    : I32EnumAttr<shared.className # suffix, shared.what, shared.cases> {
  let cppNamespace = dialect.cppNamespace;
  let genSpecializedAttr = 0;
}

#endif
