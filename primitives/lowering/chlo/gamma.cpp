// lgamma and digamma by Lanczos' approximation, with reflection to the left of one half.
#include <limits>
#include <numbers>

#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

constexpr double kBase = 0.99999999999980993227684700473478;
constexpr double kLanczos[] = {
    676.520368121885098567009190444019, -1259.13921672240287047156078755283,
    771.3234287776530788486528258894,   -176.61502916214059906584551354,
    12.507343278686904814458936853,     -0.13857109526572011689554707,
    9.984369578019570859563e-6,         1.50563273514931155834e-7};
constexpr double kGamma = 7;
constexpr double kLogOfBorder = 2.0149030205422647;  // log(kGamma + 1/2)

// Left of one half the function of 1 - x: -x and x - 1 are what it is an expression of.
struct Reflected {
  Expression needed, z;
};
Reflected reflected(const Expression& x) {
  const Expression needed = compared("LT", x, constantLike(x, 0.5));
  const Expression negated = -x;
  return {needed, select(needed, negated, x - constantLike(x, 1))};
}

// log(z + 15/2), with the digits that the sum would lose.
Expression logOfBorderPlus(const Expression& z) {
  return constantLike(z, kLogOfBorder) + log1p(z / constantLike(z, kGamma + 0.5));
}

}  // namespace

Expression lgamma(const Expression& x) {
  const auto [needed, z] = reflected(x);
  const Expression half = constantLike(x, 0.5);
  Expression sum = constantLike(x, kBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const Expression place = z + constantLike(x, static_cast<double>(i) + 1);
    sum = sum + constantLike(x, kLanczos[i]) / place;
  }
  const Expression t = constantLike(x, kGamma + 0.5) + z;
  const Expression logT = logOfBorderPlus(z);
  const Expression ratio = t / logT;
  const Expression shifted = z + half;
  const Expression product = (shifted - ratio) * logT;
  const Expression logSum = log(sum);
  const Expression right = constantLike(x, 0.91893853320467266) + product + logSum;
  // log pi - log |sin pi x| - lgamma(1 - x), where the sine is not zero.
  const Expression size = abs(x);
  const Expression fraction = size - size.apply("stablehlo.floor");
  const Expression beyondHalf = compared("LT", half, fraction);
  const Expression near = select(beyondHalf, constantLike(x, 1) - fraction, fraction);
  const Expression logSine =
      log((constantLike(x, std::numbers::pi) * near).apply("stablehlo.sine"));
  const Expression left = constantLike(x, 1.1447298858494002) - logSine - right;
  const Expression finite(x.builder(), x.builder().convert("stablehlo.is_finite", logSine,
                                                           ElementType::kI1, x.shape()));
  const Expression pole = -logSine;
  const Expression result = select(needed, select(finite, left, pole), right);
  const Expression infinity = constantLike(x, std::numeric_limits<double>::infinity());
  const Expression infinite = compared("EQ", abs(x), infinity);
  return select(infinite, infinity, result);
}

Expression digamma(const Expression& x) {
  const auto [needed, z] = reflected(x);
  Expression numerator = constantLike(x, 0), denominator = constantLike(x, kBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const Expression place = z + constantLike(x, static_cast<double>(i) + 1);
    const Expression coefficient = constantLike(x, kLanczos[i]);
    const Expression square = place * place;
    numerator = numerator - coefficient / square;
    denominator = denominator + coefficient / place;
  }
  const Expression t = constantLike(x, kGamma + 0.5) + z;
  const Expression logT = logOfBorderPlus(z);
  const Expression slope = numerator / denominator;
  const Expression shift = constantLike(x, kGamma) / t;
  const Expression right = logT + slope - shift;
  // Reflected: minus pi times the cotangent, from the distance to the next whole number.
  const Expression pi = constantLike(x, std::numbers::pi);
  const Expression nearest = (x + constantLike(x, 0.5)).apply("stablehlo.floor");
  const Expression fraction = x + abs(nearest);
  const Expression angle = pi * fraction;
  const Expression cosine = angle.apply("stablehlo.cosine");
  const Expression sine = angle.apply("stablehlo.sine");
  const Expression cotangent = pi * cosine / sine;
  const Expression left = right - cotangent;
  const Expression result = select(needed, left, right);
  const Expression zero = constantLike(x, 0);
  const Expression atZero = compared("EQ", x, zero);
  const Expression negative = compared("LT", x, zero);
  const Expression whole = compared("EQ", x, x.apply("stablehlo.floor"));
  const Expression atPole = negative & whole;
  const Expression notANumber = constantLike(x, std::numeric_limits<double>::quiet_NaN());
  const Expression minusInfinity = constantLike(x, -std::numeric_limits<double>::infinity());
  return select(atZero, minusInfinity, select(atPole, notANumber, result));
}

}  // namespace vintage::primitives::chlo
