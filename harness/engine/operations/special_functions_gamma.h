// The gamma family on the real line, for results that are right to double
// precision: arguments are doubles, and everything inside is long double.
//
// Sources: NIST Digital Library of Mathematical Functions, chapters 5
// (digamma: 5.5.2, 5.5.4, 5.11.2) and 25 (Hurwitz zeta: 25.11.5).
#pragma once

#include "harness/engine/room.h"

namespace vintage::harness::engine {

// log|Γ(x)|; infinite at 0, -1, -2, …
long double logGamma(double x);

// ψ(x); NaN at 0, -1, -2, …
long double digamma(double x);

// ζ(s, q), the sum of (q + k)^-s over k = 0, 1, 2, …: infinite at s = 1 and, for
// s > 1, at q = 0, -1, -2, … where s is even (NaN where it is not an integer or
// q is negative and s is not); NaN for s < 1. As in Cephes and XLA.
long double hurwitzZeta(double s, double q);

// The n-th derivative of digamma; NaN unless n is 0, 1, 2, …
long double polygamma(double n, double x);

// The inverse error function and a Bessel function on the real line, right to
// double precision.

// x with erf(x) = y; infinite at ±1, NaN beyond.
long double inverseErf(double y);

// e^-|x| I_1(x), the modified Bessel function of the first kind and order 1.
long double besselI1e(double x);

}  // namespace vintage::harness::engine
