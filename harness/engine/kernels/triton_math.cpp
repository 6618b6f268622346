// Arithmetic of Triton kernels that arith and math do not have: conversions, and functions of the
// vendors' libraries.
#include <algorithm>

#include "golden/base/failures.h"
#include "harness/engine/checked_attributes.h"
#include "harness/engine/kernels/triton_run.h"

namespace vintage::harness {
using namespace golden;

namespace {

using Operands = std::span<const Tensor* const>;

Result<KernelStep> makeTritonConvert(const StepRequest& request) {
  ASSIGN_OR_RETURN(const int64_t rounding, integerOf(request.operation, "rounding", 1));
  if (rounding != 1) return unsupported("rounding {} is not run here", rounding);
  return stablehloStep(request, "stablehlo.convert");
}
Result<KernelStep> makeSquareRoot(const StepRequest& request) {
  return stablehloStep(request, "stablehlo.sqrt");
}
Result<KernelStep> makeDivide(const StepRequest& request) {
  return stablehloStep(request, "stablehlo.divide");
}

// x, least, most
Result<KernelStep> makeClamp(const StepRequest& request) {
  const ElementType type = request.resultType().element;
  ASSIGN_OR_RETURN(auto loop, kernelLoop("stablehlo.clamp", {type, type, type}, type));
  return tensorStep(request, [loop, type](Operands operands) {
    const Tensor* const ordered[] = {operands[1], operands[0], operands[2]};
    return applyLoop(loop, ordered, type);
  });
}

Result<KernelStep> makeHighProduct(const StepRequest& request) {
  return tensorStep(request, [](Operands operands) -> Result<Tensor> {
    Tensor product = *operands[0];
    if (product.type() != ElementType::kI32 || product.size() != operands[1]->size())
      return unsupported("the high half of a product of {} is not computed here",
                         describe(product));
    const auto right = operands[1]->values<uint32_t>();
    const auto high = product.mutableValues<uint32_t>();
    for (size_t i = 0; i < high.size(); ++i)
      high[i] = static_cast<uint32_t>((uint64_t{high[i]} * right[i]) >> 32);
    return product;
  });
}

// Functions of NVIDIA's and AMD's mathematical libraries, by the operation that computes them.
struct LibraryFunction {
  std::string_view name, operation;
};
constexpr LibraryFunction kLibrary[] = {
    {"abs", "stablehlo.abs"},
    {"acos", "chlo.acos"},
    {"acosh", "chlo.acosh"},
    {"asin", "chlo.asin"},
    {"asinh", "chlo.asinh"},
    {"atan", "chlo.atan"},
    {"atan2", "stablehlo.atan2"},
    {"atanh", "chlo.atanh"},
    {"cbrt", "stablehlo.cbrt"},
    {"ceil", "stablehlo.ceil"},
    {"clz", "stablehlo.count_leading_zeros"},
    {"cos", "stablehlo.cosine"},
    {"cosh", "chlo.cosh"},
    {"erf", "chlo.erf"},
    {"exp", "stablehlo.exponential"},
    {"expm1", "stablehlo.exponential_minus_one"},
    {"fabs", "stablehlo.abs"},
    {"floor", "stablehlo.floor"},
    {"fmod", "stablehlo.remainder"},
    {"log", "stablehlo.log"},
    {"log1p", "stablehlo.log_plus_one"},
    {"nearbyint", "stablehlo.round_nearest_even"},
    {"popc", "stablehlo.popcnt"},
    {"pow", "stablehlo.power"},
    {"rsqrt", "stablehlo.rsqrt"},
    {"sin", "stablehlo.sine"},
    {"sinh", "chlo.sinh"},
    {"sqrt", "stablehlo.sqrt"},
    {"tan", "stablehlo.tan"},
    {"tanh", "stablehlo.tanh"},
};

// "__nv_tanhf", "__nv_tanh", "__ocml_tanh_f32"
Result<KernelStep> makeLibraryCall(const StepRequest& request) {
  ASSIGN_OR_RETURN(const std::string symbol, textOf(request.operation, "symbol"));
  std::string_view name = symbol;
  if (name.starts_with("__nv_")) {
    name.remove_prefix(5);
  } else if (name.starts_with("__ocml_")) {
    name = name.substr(7, name.rfind('_') - 7);
  }
  for (const bool isCut : {false, true}) {
    if (isCut && !name.empty() && (name.back() == 'f' || name.back() == 'l')) name.remove_suffix(1);
    const auto* row = std::ranges::find(kLibrary, name, &LibraryFunction::name);
    if (row != std::end(kLibrary)) return stablehloStep(request, row->operation);
  }
  return unsupported("the library function {} is not computed here", symbol);
}

constexpr StepEntry kTritonMath[] = {
    {"tt.fp_to_fp", makeTritonConvert, 1, 1},
    {"tt.precise_sqrt", makeSquareRoot, 1, 1},
    {"tt.precise_divf", makeDivide, 2, 1},
    {"tt.approx_divf", makeDivide, 2, 1},
    {"tt.clampf", makeClamp, 3, 1},
    {"tt.mulhiui", makeHighProduct, 2, 1},
    {"tt.extern_elementwise", makeLibraryCall, kAnyNumber, 1},
};

}  // namespace

StepTable tritonMathSteps() { return kTritonMath; }

}  // namespace vintage::harness
