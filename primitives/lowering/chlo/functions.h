// Functions of CHLO: in the form of the module's profile, and taken apart.
#pragma once

#include <span>
#include <string_view>

#include "primitives/lowering/builder.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::chlo {

// By CHLO's name: "erf", "next_after". The result has the operands' type and shape.
SsaValue elementwise(std::string_view name, const Operands& operands);

// The `k` largest elements along the last dimension, the largest first, and their positions.
SsaValues topK(const SsaValue& operand, int64_t k);

// --- No portable artifact can hold operations of CHLO. Each function is the sequence of StableHLO
// operations into which CHLO itself decomposes it, so that a module equals the one that JAX
// serialized. For f32 and f64; inverse functions for any float and complex type.

SsaValue acos(const SsaValue& x);
SsaValue acosh(const SsaValue& x);
SsaValue asin(const SsaValue& x);
SsaValue asinh(const SsaValue& x);
SsaValue atan(const SsaValue& x);
SsaValue atanh(const SsaValue& x);
SsaValue sinh(const SsaValue& x);
SsaValue cosh(const SsaValue& x);
SsaValue exponential(const SsaValue& x);
SsaValue tan(const SsaValue& x);
SsaValue square(const SsaValue& x);
SsaValue erf(const SsaValue& x);
SsaValue erfc(const SsaValue& x);
SsaValue erfInv(const SsaValue& x);
SsaValue lgamma(const SsaValue& x);
SsaValue digamma(const SsaValue& x);
SsaValue zeta(const SsaValue& exponent, const SsaValue& start);
SsaValue polygamma(const SsaValue& order, const SsaValue& x);
SsaValue besselI1e(const SsaValue& x);
SsaValue nextAfter(const SsaValue& from, const SsaValue& to);

// How CHLO's decompositions write constants, comparisons and polynomials.

// A constant of x's type and shape; where a size is not known, a scalar that is broadcast to
// the shape that x turns out to have. The imaginary part of a complex constant is zero.
SsaValue constantLike(const SsaValue& x, double value);
SsaValue constantLike(const SsaValue& x, golden::ElementType type, int64_t value);

// A comparison without a comparison type: it follows from the operands.
SsaValue compared(std::string_view direction, const SsaValue& a, const SsaValue& b);

// ((c0 x + c1) x + c2) …, the highest power first.
SsaValue polynomial(const SsaValue& x, std::span<const double> coefficients);

// The position along `dimension` in an array of x's shape; and the first `count` elements along the
// last dimension. Unknown sizes are taken from x at run time.
SsaValue iotaLike(const SsaValue& x, golden::ElementType type, int64_t dimension);
SsaValue leading(const SsaValue& x, int64_t count);

}  // namespace vintage::primitives::chlo
