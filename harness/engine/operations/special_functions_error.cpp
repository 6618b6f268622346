#include "harness/engine/operations/special_functions_error.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace vintage::harness::engine {
namespace {

using Wide = long double;
constexpr Wide kEpsilon = std::numeric_limits<Wide>::epsilon();

}  // namespace

Wide inverseErf(double argument) {
  const Wide y = argument;
  const Wide size = std::fabs(y);
  if (!(size <= 1)) return std::numeric_limits<Wide>::quiet_NaN();
  if (size == 1) return std::copysign(std::numeric_limits<Wide>::infinity(), y);
  if (size == 0) return y;
  // Winitzki's approximation, within 2e-3, as the start of Newton's method.
  constexpr Wide kShape = 0.147L;
  const Wide logarithm = std::log1p(-size * size);
  const Wide half = 2 / (std::numbers::pi_v<Wide> * kShape) + logarithm / 2;
  Wide x = std::sqrt(std::sqrt(half * half - logarithm / kShape) - half);
  // Far out the complement is exact (1 - size is, from 1/2 on) where erf itself
  // is almost 1.
  const Wide complement = 1 - size;
  for (int step = 0; step < 6; ++step) {
    const Wide residual = size > 0.5L ? complement - std::erfc(x) : std::erf(x) - size;
    const Wide slope = 2 * std::numbers::inv_sqrtpi_v<Wide> * std::exp(-x * x);
    const Wide newton = residual / slope;
    const Wide change = newton / (1 + x * newton);  // Halley's correction.
    x -= change;
    if (std::fabs(change) <= 4 * kEpsilon * x) break;
  }
  return std::copysign(x, y);
}

Wide besselI1e(double argument) {
  const Wide x = std::fabs(static_cast<Wide>(argument));
  if (std::isnan(x)) return x;
  Wide value;
  if (x <= 30) {
    // (x/2) Σ (x²/4)^k / (k! (k+1)!): all terms are positive.
    const Wide quarter = x * x / 4;
    Wide term = x / 2, sum = term;
    for (int k = 1; term > sum * kEpsilon / 16; ++k) {
      term *= quarter / (static_cast<Wide>(k) * static_cast<Wide>(k + 1));
      sum += term;
    }
    value = sum * std::exp(-x);
  } else {
    // Hankel's expansion: Π (4 - (2i-1)²) / (k! (8x)^k) with changing signs.
    Wide term = 1, sum = 1;
    for (int k = 1; k < 40; ++k) {
      const Wide odd = 2 * static_cast<Wide>(k) - 1;
      const Wide next = -term * (4 - odd * odd) / (static_cast<Wide>(k) * 8 * x);
      if (std::fabs(next) >= std::fabs(term)) break;  // From here on it diverges.
      term = next;
      sum += term;
      if (std::fabs(term) <= sum * kEpsilon / 16) break;
    }
    value = sum / std::sqrt(2 * std::numbers::pi_v<Wide> * x);
  }
  return std::copysign(value, static_cast<Wide>(argument));
}

}  // namespace vintage::harness::engine
