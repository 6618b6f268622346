// math, by the engine's own loops where it has them, and through f64 where it has none.
#include <algorithm>
#include <bit>
#include <cmath>

#include "golden/base/failures.h"
#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {
using namespace golden;

namespace {

struct Named {
  std::string_view name, stablehlo;
  int operands = 1;
};
constexpr Named kNamed[] = {
    {"math.absf", "stablehlo.abs"},
    {"math.absi", "stablehlo.abs"},
    {"math.cbrt", "stablehlo.cbrt"},
    {"math.ceil", "stablehlo.ceil"},
    {"math.cos", "stablehlo.cosine"},
    {"math.exp", "stablehlo.exponential"},
    {"math.expm1", "stablehlo.exponential_minus_one"},
    {"math.floor", "stablehlo.floor"},
    {"math.log", "stablehlo.log"},
    {"math.log1p", "stablehlo.log_plus_one"},
    {"math.round", "stablehlo.round_nearest_afz"},
    {"math.roundeven", "stablehlo.round_nearest_even"},
    {"math.rsqrt", "stablehlo.rsqrt"},
    {"math.sin", "stablehlo.sine"},
    {"math.sqrt", "stablehlo.sqrt"},
    {"math.tan", "stablehlo.tan"},
    {"math.tanh", "stablehlo.tanh"},
    {"math.ctpop", "stablehlo.popcnt"},
    {"math.ctlz", "stablehlo.count_leading_zeros"},
    {"math.isfinite", "stablehlo.is_finite"},
    {"math.powf", "stablehlo.power", 2},
    {"math.atan2", "stablehlo.atan2", 2},
    {"tpu.logistic", "stablehlo.logistic"},
};

Result<KernelStep> makeNamed(const StepRequest& request) {
  const auto* row = std::ranges::find(kNamed, request.operation.name, &Named::name);
  return stablehloStep(request, row->stablehlo);
}

using InDouble = double (*)(double, double, double);
struct InDoubles {
  std::string_view name;
  int operands;
  InDouble function;
};
constexpr InDoubles kFunctions[] = {
    {"math.acos", 1, [](double x, double, double) { return std::acos(x); }},
    {"math.acosh", 1, [](double x, double, double) { return std::acosh(x); }},
    {"math.asin", 1, [](double x, double, double) { return std::asin(x); }},
    {"math.asinh", 1, [](double x, double, double) { return std::asinh(x); }},
    {"math.atan", 1, [](double x, double, double) { return std::atan(x); }},
    {"math.atanh", 1, [](double x, double, double) { return std::atanh(x); }},
    {"math.cosh", 1, [](double x, double, double) { return std::cosh(x); }},
    {"math.erf", 1, [](double x, double, double) { return std::erf(x); }},
    {"math.erfc", 1, [](double x, double, double) { return std::erfc(x); }},
    {"math.exp2", 1, [](double x, double, double) { return std::exp2(x); }},
    {"math.log10", 1, [](double x, double, double) { return std::log10(x); }},
    {"math.log2", 1, [](double x, double, double) { return std::log2(x); }},
    {"math.sinh", 1, [](double x, double, double) { return std::sinh(x); }},
    {"math.trunc", 1, [](double x, double, double) { return std::trunc(x); }},
    {"math.copysign", 2, [](double x, double y, double) { return std::copysign(x, y); }},
    {"math.fpowi", 2, [](double x, double y, double) { return std::pow(x, y); }},
    {"math.fma", 3, [](double x, double y, double z) { return std::fma(x, y, z); }},
    {"math.isnan", 1, [](double x, double, double) { return double(std::isnan(x)); }},
    {"math.isinf", 1, [](double x, double, double) { return double(std::isinf(x)); }},
    {"tpu.weird", 1, [](double x, double, double) { return double(!std::isfinite(x)); }},
    {"tpu.reciprocal", 1, [](double x, double, double) { return 1 / x; }},
};

Result<KernelStep> makeFunction(const StepRequest& request) {
  const auto* row = std::ranges::find(kFunctions, request.operation.name, &InDoubles::name);
  const ElementType type = request.resultType().element;
  std::vector<KernelLoop> widen;
  for (size_t i = 0; i < request.operands(); ++i) {
    ASSIGN_OR_RETURN(
        widen.emplace_back(),
        kernelLoop("stablehlo.convert", {request.operandType(i).element}, ElementType::kF64));
  }
  ASSIGN_OR_RETURN(auto narrow, kernelLoop("stablehlo.convert", {ElementType::kF64}, type));
  return tensorStep(
      request,
      [widen, narrow, type,
       function = row->function](std::span<const Tensor* const> operands) -> Result<Tensor> {
        std::vector<Tensor> wide;
        for (size_t i = 0; i < operands.size(); ++i) {
          if (operands[i]->shape() != operands[0]->shape())
            return badInput("operands are {} and {}", describe(*operands[0]),
                            describe(*operands[i]));
          ASSIGN_OR_RETURN(wide.emplace_back(),
                           applyLoop(widen[i], operands.subspan(i, 1), ElementType::kF64));
        }
        const auto values = wide[0].mutableValues<double>();
        const auto second = wide[wide.size() > 1 ? 1 : 0].values<double>();
        const auto third = wide.back().values<double>();
        for (size_t i = 0; i < values.size(); ++i)
          values[i] = function(values[i], second[i], third[i]);
        const Tensor* const results[] = {&wide[0]};
        return applyLoop(narrow, results, type);
      });
}

// The number of zero bits below the lowest one.
Result<KernelStep> makeTrailingZeros(const StepRequest& request) {
  const ElementType type = request.resultType().element;
  return tensorStep(request, [type](std::span<const Tensor* const> operands) -> Result<Tensor> {
    ASSIGN_OR_RETURN(Tensor result, Tensor::make(type, operands[0]->shape()));
    std::byte* out = result.mutableBytes().data();
    for (int64_t element : integerElements(*operands[0])) {
      const int64_t zeros =
          std::min(std::countr_zero(static_cast<uint64_t>(element)), bitWidth(type));
      std::memcpy(out, &zeros, byteWidth(type));
      out += byteWidth(type);
    }
    return result;
  });
}

std::vector<StepEntry> joinMath() {
  std::vector<StepEntry> all = {{"math.cttz", makeTrailingZeros, 1, 1}};
  for (const Named& row : kNamed) all.push_back({row.name, makeNamed, row.operands, 1});
  for (const InDoubles& row : kFunctions) all.push_back({row.name, makeFunction, row.operands, 1});
  return all;
}

}  // namespace

StepTable mathSteps() {
  static const std::vector<StepEntry> kTable = joinMath();
  return kTable;
}

}  // namespace vintage::harness
