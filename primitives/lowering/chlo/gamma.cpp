// lgamma and digamma by Lanczos' approximation, with reflection to the left of one half.
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
  SsaValue needed, z;
};
Reflected reflected(const SsaValue& x) {
  const SsaValue needed = compared("LT", x, constantLike(x, 0.5));
  const SsaValue negated = -x;
  return {needed, select(needed, negated, x - constantLike(x, 1))};
}

// log(z + 15/2), with the digits that the sum would lose.
SsaValue logOfBorderPlus(const SsaValue& z) {
  return constantLike(z, kLogOfBorder) + log1p(z / constantLike(z, kGamma + 0.5));
}

}  // namespace

SsaValue lgamma(const SsaValue& x) {
  const auto [needed, z] = reflected(x);
  const SsaValue half = constantLike(x, 0.5);
  SsaValue sum = constantLike(x, kBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const SsaValue place = z + constantLike(x, static_cast<double>(i) + 1);
    sum = sum + constantLike(x, kLanczos[i]) / place;
  }
  const SsaValue t = constantLike(x, kGamma + 0.5) + z;
  const SsaValue logT = logOfBorderPlus(z);
  const SsaValue ratio = t / logT;
  const SsaValue shifted = z + half;
  const SsaValue product = (shifted - ratio) * logT;
  const SsaValue logSum = log(sum);
  const SsaValue right = constantLike(x, 0.91893853320467266) + product + logSum;
  // log pi - log |sin pi x| - lgamma(1 - x), where the sine is not zero.
  const SsaValue size = abs(x);
  const SsaValue fraction = size - same("stablehlo.floor", size);
  const SsaValue beyondHalf = compared("LT", half, fraction);
  const SsaValue near = select(beyondHalf, constantLike(x, 1) - fraction, fraction);
  const SsaValue logSine = log(same("stablehlo.sine", constantLike(x, std::numbers::pi) * near));
  const SsaValue left = constantLike(x, 1.1447298858494002) - logSine - right;
  const SsaValue finite = isFinite(logSine);
  const SsaValue pole = -logSine;
  const SsaValue result = select(needed, select(finite, left, pole), right);
  const SsaValue infinity = constantLike(x, oracle::kInfinity);
  const SsaValue infinite = compared("EQ", abs(x), infinity);
  return select(infinite, infinity, result);
}

SsaValue digamma(const SsaValue& x) {
  const auto [needed, z] = reflected(x);
  SsaValue numerator = constantLike(x, 0), denominator = constantLike(x, kBase);
  for (size_t i = 0; i < std::size(kLanczos); ++i) {
    const SsaValue place = z + constantLike(x, static_cast<double>(i) + 1);
    const SsaValue coefficient = constantLike(x, kLanczos[i]);
    const SsaValue square = place * place;
    numerator = numerator - coefficient / square;
    denominator = denominator + coefficient / place;
  }
  const SsaValue t = constantLike(x, kGamma + 0.5) + z;
  const SsaValue logT = logOfBorderPlus(z);
  const SsaValue slope = numerator / denominator;
  const SsaValue shift = constantLike(x, kGamma) / t;
  const SsaValue right = logT + slope - shift;
  // Reflected: minus pi times the cotangent, from the distance to the next whole number.
  const SsaValue pi = constantLike(x, std::numbers::pi);
  const SsaValue nearest = same("stablehlo.floor", x + constantLike(x, 0.5));
  const SsaValue fraction = x + abs(nearest);
  const SsaValue angle = pi * fraction;
  const SsaValue cosine = same("stablehlo.cosine", angle);
  const SsaValue sine = same("stablehlo.sine", angle);
  const SsaValue cotangent = pi * cosine / sine;
  const SsaValue left = right - cotangent;
  const SsaValue result = select(needed, left, right);
  const SsaValue zero = constantLike(x, 0);
  const SsaValue atZero = compared("EQ", x, zero);
  const SsaValue negative = compared("LT", x, zero);
  const SsaValue whole = compared("EQ", x, same("stablehlo.floor", x));
  const SsaValue atPole = negative & whole;
  const SsaValue notANumber = constantLike(x, oracle::kNan);
  const SsaValue minusInfinity = constantLike(x, -oracle::kInfinity);
  return select(atZero, minusInfinity, select(atPole, notANumber, result));
}

}  // namespace vintage::primitives::chlo
