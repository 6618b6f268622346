// Functions of CHLO: in the form of the module's profile, and taken apart.
#pragma once

#include <string_view>

#include "primitives/lowering/builder.h"
#include "primitives/lowering/expression.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering::chlo {

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

}  // namespace vintage::primitives::lowering::chlo
