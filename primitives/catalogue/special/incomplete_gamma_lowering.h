// The incomplete gamma function as JAX writes it: a power series and a continued
// fraction, each a loop that ends when no element changes any more. After
// Cephes (Moshier), DLMF 8.11.4 and 8.9.2.
#pragma once

#include "primitives/catalogue/room.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {

enum class GammaMode {
  kValue,             // P(a, x)
  kDerivative,        // dP/da
  kSampleDerivative,  // dx/da where P(a, x) stays: of samples of Gamma(a, 1)
};

// x^a e^-x / Gamma(a) where it does not underflow.
struct GammaFront {
  Expression value, underflows;
};
GammaFront gammaFront(const Expression& a, const Expression& x);

// P(a, x), or a derivative; elements that are not enabled keep any value.
Expression gammaSeries(const Expression& front, const Expression& x, const Expression& a,
                       const Expression& enabled, GammaMode mode);
// Q(a, x) = 1 - P(a, x), or minus a derivative.
Expression gammaFraction(const Expression& front, const Expression& x, const Expression& a,
                         const Expression& enabled, GammaMode mode);

}  // namespace vintage::primitives::catalogue
