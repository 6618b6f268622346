// Functions of CHLO: in the form of the module's profile, and taken apart.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "primitives/lowering/builder.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::chlo {

// By CHLO's name: "erf", "next_after". The result has the operands' type and shape.
SsaValue elementwise(FunctionBuilder& builder, std::string_view name, const Operands& operands);

// The `k` largest elements along the last dimension, the largest first, and their positions.
SsaValues topK(FunctionBuilder& builder, const SsaValue& operand, int64_t k);

// --- No portable artifact can hold operations of CHLO: each as the sequence of StableHLO
// operations that CHLO itself takes it apart into, so that a module says the same as one that JAX serialized.

// What the function by this name ("acos", "erf_inv", "next_after") gives for the operands,
// element by element. Narrow floats are computed in f32 where CHLO does so.
SsaValue decomposed(FunctionBuilder& builder, std::string_view name, const Operands& operands);

// The `k` largest elements along the last dimension, and their positions.
SsaValues sortedTopK(FunctionBuilder& builder, const SsaValue& operand, int64_t k);

// --- By themselves, of f32 and f64 (inverse functions of any float and complex type).

Expression acos(const Expression& x);
Expression acosh(const Expression& x);
Expression asin(const Expression& x);
Expression asinh(const Expression& x);
Expression atan(const Expression& x);
Expression atanh(const Expression& x);
Expression sinh(const Expression& x);
Expression cosh(const Expression& x);
Expression exponential(const Expression& x);
Expression tan(const Expression& x);
Expression square(const Expression& x);
Expression erf(const Expression& x);
Expression erfc(const Expression& x);
Expression erfInv(const Expression& x);
Expression lgamma(const Expression& x);
Expression digamma(const Expression& x);
Expression zeta(const Expression& exponent, const Expression& start);
Expression polygamma(const Expression& order, const Expression& x);
Expression besselI1e(const Expression& x);
Expression nextAfter(const Expression& from, const Expression& to);

// How CHLO's decompositions write constants, comparisons and polynomials.

// A constant of x's type and shape; where a size is not known, a scalar that is broadcast to
// the shape that x turns out to have. Of complex types the imaginary part is zero.
Expression constantLike(const Expression& x, double value);
Expression constantLike(const Expression& x, golden::ElementType type, int64_t value);

// The largest finite number and the smallest normal one of a float type.
double largestOf(golden::ElementType type);
double smallestOf(golden::ElementType type);

// A comparison that does not say of which kind it is: that follows from the operands.
Expression compared(std::string_view direction, const Expression& a, const Expression& b);

// ((c0 x + c1) x + c2) …, the highest power first.
Expression polynomial(const Expression& x, std::span<const double> coefficients);

// The position along `dimension` in an array of x's shape; and the first `count` elements
// along the last dimension. Sizes that are not known are those that x turns out to have.
SsaValue iotaLike(FunctionBuilder& builder, const SsaValue& x, golden::ElementType type,
                  int64_t dimension);
SsaValue leading(FunctionBuilder& builder, const SsaValue& x, int64_t count);

}  // namespace vintage::primitives::chlo
