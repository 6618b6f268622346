// Faults of elementary and special functions.
#include <cmath>
#include <limits>

#include "tests/harness/engine/faults/damage.h"

namespace vintage::harness {
using namespace golden;

namespace {

using namespace damage;

// Binary64 operands lose what binary32 cannot hold.
FaultyFactory inBinary32() {
  return operands([](std::vector<Value>& values) {
    for (Value& value : values)
      if (value.tensor.type() == ElementType::kF64)
        eachFloat(value.tensor, [](double x, size_t) { return static_cast<float>(x); });
  });
}

}  // namespace

std::vector<SeededFault> functionFaults() {
  return {
      {"sine_wrong_sign", "the sine of a large argument has the wrong sign", "stablehlo.sine",
       "sin", unary([](double x, double y) { return std::abs(x) > 100 ? -y : y; })},
      {"cosine_no_reduction", "arguments of the cosine lose what binary32 cannot hold",
       "stablehlo.cosine", "cos", inBinary32()},
      {"tan_in_binary32", "the tangent of binary64 is computed in binary32", "stablehlo.tan", "tan",
       inBinary32()},
      {"tanh_saturates_early", "the hyperbolic tangent is one from four on", "stablehlo.tanh",
       "tanh", unary([](double x, double y) { return std::abs(x) > 4 ? std::copysign(1, x) : y; })},
      {"exp_flushes_subnormals", "tiny exponentials are flushed to zero", "stablehlo.exponential",
       "exp",
       unary([](double, double y) { return y < std::numeric_limits<float>::min() ? 0 : y; })},
      {"expm1_cancels", "exp(x) - 1 is computed as it is written",
       "stablehlo.exponential_minus_one", "expm1", unary([](double x, double y) {
         return std::abs(x) < 0.5 ? static_cast<double>(std::exp(static_cast<float>(x)) - 1.0f) : y;
       })},
      {"log_of_zero", "the logarithm of zero is NaN", "stablehlo.log", "log",
       unary([](double x, double y) {
         return x == 0 ? std::numeric_limits<double>::quiet_NaN() : y;
       })},
      {"log1p_cancels", "log(1 + x) is computed as it is written", "stablehlo.log_plus_one",
       "log1p", unary([](double x, double y) {
         return std::abs(x) < 0.5 ? static_cast<double>(std::log(1.0f + static_cast<float>(x))) : y;
       })},
      {"sqrt_of_negative", "the square root of a negative number is zero", "stablehlo.sqrt", "sqrt",
       unary([](double x, double y) { return x < 0 ? 0 : y; })},
      {"rsqrt_of_infinity", "the reciprocal root of infinity is infinite", "stablehlo.rsqrt",
       "rsqrt", unary([](double x, double y) { return std::isinf(x) && x > 0 ? x : y; })},
      {"cbrt_loses_sign", "the cube root loses the sign", "stablehlo.cbrt", "cbrt",
       unary([](double, double y) { return std::abs(y); })},
      {"power_of_zero", "x to the power of zero is x", "stablehlo.power", "pow",
       binary([](double x, double y, double z) { return y == 0 ? x : z; })},
      {"atan2_swapped", "the operands of the arc tangent change places", "stablehlo.atan2", "atan2",
       swapped(0, 1)},
      {"logistic_overflows", "the logistic of a large negative number is NaN", "stablehlo.logistic",
       "logistic", unary([](double x, double y) {
         return x < -20 ? std::numeric_limits<double>::quiet_NaN() : y;
       })},
      {"floor_toward_zero", "floor rounds toward zero", "stablehlo.floor", "floor",
       unary([](double x, double) { return std::trunc(x); })},
      {"ceil_toward_zero", "ceil rounds toward zero", "stablehlo.ceil", "ceil",
       unary([](double x, double) { return std::trunc(x); })},
      {"round_ties_to_even", "rounding half away from zero takes the even neighbour",
       "stablehlo.round_nearest_afz", "round", replacedBy("stablehlo.round_nearest_even")},
      {"is_finite_of_infinity", "negative infinity counts as finite", "stablehlo.is_finite",
       "is_finite", results([](OperandValues operands, ResultValues& results) {
         const auto x = numbers(operands[0].tensor);
         const auto bytes = results[0].tensor.mutableBytes();
         for (size_t i = 0; i < x.size(); ++i)
           if (std::isinf(x[i]) && x[i] < 0) bytes[i] = std::byte{1};
       })},
      {"erf_in_binary32", "the error function of binary64 is computed in binary32",
       "stablehlo.custom_call @mhlo.erf", "erf", inBinary32()},
      {"asin_beyond_one", "the arc sine beyond one is clamped", "stablehlo.custom_call @mhlo.asin",
       "asin", unary([](double x, double y) {
         return std::abs(x) > 1 ? std::copysign(std::asin(1.0), x) : y;
       })},
      {"cosh_wrong_sign", "the hyperbolic cosine of a negative number is negative",
       "stablehlo.custom_call @mhlo.cosh", "cosh",
       unary([](double x, double y) { return x < 0 ? -y : y; })},
  };
}

}  // namespace vintage::harness
