// Operations that only CHLO has: ragged_dot, top_k, and special functions.
#pragma once

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/engine/kernel.h"

namespace vintage::harness {

Result<Kernel> makeRaggedDot(const KernelRequest& request);

// The largest (or smallest) values along one dimension, with their places.

struct TopK {
  int64_t dimension = 0;
  int64_t count = 0;  // At most the dimension's size.
  bool largest = true;
};

// Positions along `dimension`, best first, equal values in their own order:
// an i32 tensor of the operand's shape with `count` in that dimension. Floats
// are in total order: -NaN < -inf < … < -0 < +0 < … < inf < NaN. Complex
// operands are kBadInput.
Result<golden::Tensor> topKPositions(const golden::Tensor& operand, const TopK& topK);

// The best `count` of operand 0 along its last dimension, and their positions, as the results
// of `call`. Errors begin with `name`.
Status giveTopK(KernelCall& call, const std::string& name, int64_t count, bool largest);

// The elements of `operand` at those positions.
Result<golden::Tensor> takeAtPositions(const golden::Tensor& operand,
                                       const golden::Tensor& positions, int64_t dimension);

// The gamma family on the real line, for results that are right to double
// precision: arguments are doubles, and everything inside is long double.
//
// Sources: NIST Digital Library of Mathematical Functions, chapters 5
// (digamma: 5.5.2, 5.5.4, 5.11.2) and 25 (Hurwitz zeta: 25.11.5).

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

}  // namespace vintage::harness
