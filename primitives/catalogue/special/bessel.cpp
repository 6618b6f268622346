// bessel_i0e: exp(-|x|) I0(x), which JAX writes as two Chebyshev series, in x up
// to 8 and in 1/x beyond (Clenshaw's summation; after Cephes, Moshier).
#include "golden/oracle/real.h"
#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/special/special_case.h"

namespace vintage::primitives {
using namespace golden;

namespace {

using oracle::Real;

// The highest of `count` coefficients first. The function of t in [-1, 1] is
// sampled at Chebyshev points, in far more of them than coefficients count.
std::vector<double> chebyshevCoefficients(Real (*function)(const Real& t), int count) {
  constexpr int kPoints = 64;
  std::vector<Real> angles, samples;
  for (int k = 0; k < kPoints; ++k) {
    angles.push_back(oracle::pi() * Real(k + 0.5) / Real(kPoints));
    samples.push_back(function(oracle::cos(angles.back())));
  }
  std::vector<double> coefficients;
  for (int j = count; j-- > 0;) {
    Real sum(0.0);
    for (size_t k = 0; k < kPoints; ++k) sum = sum + samples[k] * oracle::cos(angles[k] * Real(j));
    coefficients.push_back((sum * Real(2.0 / kPoints)).toDouble());
  }
  return coefficients;
}

Real nearSample(const Real& t) { return oracle::besselI0e((t + Real(1.0)) * Real(4.0)); }
Real farSample(const Real& t) {
  const Real x = Real(16.0) / (t + Real(1.0));
  return oracle::besselI0e(x) * oracle::sqrt(x);
}

struct Series {
  std::vector<double> near, far;
};
// As many as Cephes keeps for each precision.
const Series& seriesFor(ElementType type) {
  static const Series kSingle{chebyshevCoefficients(nearSample, 18),
                              chebyshevCoefficients(farSample, 7)};
  static const Series kDouble{chebyshevCoefficients(nearSample, 30),
                              chebyshevCoefficients(farSample, 25)};
  return type == ElementType::kF64 ? kDouble : kSingle;
}

SsaValue clenshaw(const SsaValue& x, std::span<const double> coefficients) {
  SsaValue newest = x.like(0), middle = newest, oldest = newest;
  for (double coefficient : coefficients) {
    oldest = middle;
    middle = newest;
    newest = x * middle - oldest + coefficient;
  }
  return 0.5 * (newest - oldest);
}

}  // namespace

SsaValue besselI0e(const SsaValue& operand) {
  const Series& series = seriesFor(operand.type);
  const SsaValue x = abs(operand);
  const SsaValue near = clenshaw(0.5 * x - 2.0, series.near);
  const SsaValue far = clenshaw(32.0 / x - 2.0, series.far) / sqrt(x);
  return select(x <= 8.0, near, far);
}

VINTAGE_FAMILY(addBesselCases) {
  addSpecialFunction(cases, {.name = "bessel_i0e",
                             .shape = {8, 8},
                             .domains = {{.low = -40,
                                          .high = 40,
                                          .edges = Domain::Edges::kAll,
                                          .edgeLow = -100,
                                          .edgeHigh = 100}},
                             .write = [](Arguments x) { return besselI0e(x[0]); },
                             .oracle =
                                 [](std::span<const Real> x) {
                                   return x[0].isNan() ? x[0] : oracle::besselI0e(x[0]);
                                 },
                             .ulps = 4});
}

}  // namespace vintage::primitives
