// bessel_i1e: exp(-|x|) I1(x) as two Chebyshev series, in x up to 8 and in 1/x beyond
// (Clenshaw's summation; after Cephes, Moshier).
#include <span>

#include "primitives/lowering/chlo/functions.h"

namespace vintage::primitives::chlo {
using namespace golden;

namespace {

constexpr double kSingleNear[] = {
    9.38153732e-9, -4.44505908e-8, 2.00329481e-7, -8.568720e-07,  3.47025139e-6, -1.32731639e-5,
    4.78156508e-5, -1.61760821e-4, 5.122860e-04,  -0.00151357241, 0.0041564228,  -0.0105640851,
    0.0247264486,  -0.0529459827,  0.102643661,   -0.176416516,   0.252587199};
constexpr double kSingleFar[] = {-3.83538046e-9, -2.63146891e-8, -2.51223611e-7, -3.88256467e-6,
                                 -1.10588939e-4, -0.00976109784, 0.778576254};
constexpr double kDoubleNear[] = {
    2.7779141127610464e-18,  -2.111421214358166e-17,  1.5536319577362005e-16,
    -1.1055969477353862e-15, 7.6006842947354077e-15,  -5.0421855047279118e-14,
    3.2237933659455748e-13,  -1.9839743977649436e-12, 1.1736186298890901e-11,
    -6.6634897235020271e-11, 3.6255902815521172e-10,  -1.8872497517228294e-9,
    9.3815373864957726e-9,   -4.4450591287963281e-8,  2.0032947535521353e-7,
    -8.5687202646954547e-7,  3.4702513081376785e-6,   -1.3273163656039436e-5,
    4.7815651075500542e-5,   -1.6176081582589674e-4,  5.1228595616857576e-4,
    -0.0015135724506312532,  0.0041564229443128882,   -0.010564084894626197,
    0.024726449030626516,    -0.052945981208094989,   0.10264365868984709,
    -0.17641651835783406,    0.25258718644363365};
constexpr double kDoubleFar[] = {
    7.5172963108421052e-18,  4.4143483230717077e-18,  -4.6503053684893586e-17,
    -3.2095259219934238e-17, 2.9626289976459501e-16,  3.3082023109209285e-16,
    -1.8803547755107825e-15, -3.8144030724370075e-15, 1.0420276984128802e-14,
    4.272440016711951e-14,   -2.1015418427726643e-14, -4.0835511110921974e-13,
    -7.1985517762459084e-13, 2.0356285441470896e-12,  1.4125807436613782e-11,
    3.2526035830154884e-11,  -1.8974958123505413e-11, -5.5897434621965838e-10,
    -3.835380385964237e-9,   -2.6314688468895196e-8,  -2.5122362378702088e-7,
    -3.8825648088776906e-6,  -1.1058893876262371e-4,  -0.0097610974913614687,
    0.7785762350182801};

SsaValue clenshaw(const SsaValue& x, std::span<const double> coefficients) {
  SsaValue newest = constantLike(x, 0), middle = newest, oldest = newest;
  for (const double coefficient : coefficients) {
    oldest = middle;
    middle = newest;
    newest = x * middle - oldest + constantLike(x, coefficient);
  }
  return (newest - oldest) * constantLike(x, 0.5);
}

}  // namespace

SsaValue besselI1e(const SsaValue& operand) {
  const bool wide = operand.type == ElementType::kF64;
  const std::span<const double> near =
      wide ? std::span<const double>(kDoubleNear) : std::span<const double>(kSingleNear);
  const std::span<const double> far =
      wide ? std::span<const double>(kDoubleFar) : std::span<const double>(kSingleFar);
  const SsaValue x = abs(operand);
  const SsaValue two = constantLike(x, 2);
  const SsaValue half = constantLike(x, 0.5) * x;
  const SsaValue whenNear = x * clenshaw(half - two, near);
  const SsaValue inverse = constantLike(x, 32) / x;
  const SsaValue sum = clenshaw(inverse - two, far);
  const SsaValue whenFar = sum / sqrt(x);
  const SsaValue isNear = compared("LE", x, constantLike(x, 8));
  const SsaValue size = select(isNear, whenNear, whenFar);
  return same("stablehlo.sign", operand) * size;
}

}  // namespace vintage::primitives::chlo
