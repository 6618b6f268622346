// Special functions that JAX writes out of elementary ones: their cases, and what
// derivatives use of them as well.
#pragma once

#include <functional>

#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives {

// Over arguments of one type and shape, in f32 for the narrow floats.
struct SpecialFunction {
  std::string name;
  golden::Shape shape;
  std::vector<Domain> domains;  // One for each argument.
  std::function<SsaValue(Arguments)> write;
  std::function<golden::oracle::Real(std::span<const golden::oracle::Real>)> oracle;
  int64_t ulps;         // For f32 and f64; narrow floats, rounded from f32, have one.
  double absolute = 0;  // Beside it, in units of the type's spacing at one.
};

// Cases for every float type, in the function's shape and for scalars.
void addSpecialFunction(CaseList& cases, const SpecialFunction& function);

// exp(-|x|) I0(x), in f32 or f64.
SsaValue besselI0e(const SsaValue& x);

// The incomplete gamma function as JAX writes it: a power series and a continued
// fraction, each a loop that ends when no element changes any more. After
// Cephes (Moshier), DLMF 8.11.4 and 8.9.2.
enum class GammaMode {
  kValue,             // P(a, x)
  kDerivative,        // dP/da
  kSampleDerivative,  // dx/da where P(a, x) stays: of samples of Gamma(a, 1)
};

// x^a e^-x / Gamma(a) where it does not underflow.
struct GammaFront {
  SsaValue value, underflows;
};
GammaFront gammaFront(const SsaValue& a, const SsaValue& x);

// P(a, x), or a derivative; elements that are not enabled keep any value.
SsaValue gammaSeries(const SsaValue& front, const SsaValue& x, const SsaValue& a,
                     const SsaValue& enabled, GammaMode mode);
// Q(a, x) = 1 - P(a, x), or minus a derivative.
SsaValue gammaFraction(const SsaValue& front, const SsaValue& x, const SsaValue& a,
                       const SsaValue& enabled, GammaMode mode);

}  // namespace vintage::primitives
