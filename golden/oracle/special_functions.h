// Special functions that MPFR lacks, at Real's precision less a few bits.
#pragma once

#include "golden/oracle/real.h"
#include "golden/oracle/room.h"

namespace vintage::golden::oracle {

Real erfInverse(const Real& y);                 // |y| <= 1
Real besselI0e(const Real& x);                  // exp(-|x|) I0(x), |x| <= 700
Real besselI1e(const Real& x);                  // exp(-|x|) I1(x), |x| <= 700
Real igamma(const Real& a, const Real& x);      // Regularized lower, a > 0, x >= 0
Real igammac(const Real& a, const Real& x);     // Regularized upper
// dP/da and dP/dx of the regularized lower one, a > 0, x > 0; half of Real's bits hold.
Real igammaDerivative(const Real& a, const Real& x);
Real gammaDensity(const Real& a, const Real& x);
Real incompleteBeta(const Real& a, const Real& b, const Real& x);  // Regularized, 0 <= x <= 1
// psi^(n)(x) for integers n >= 0 and x > 0; zeta(s, q) of Hurwitz for s > 1, q > 0.
Real polygamma(int n, const Real& x);
Real hurwitzZeta(const Real& s, const Real& q);

}  // namespace vintage::golden::oracle
