// How JAX compares and folds: complex numbers by their real, then their imaginary
// parts; the operation and the identity of a fold, and its reductions.
#pragma once

#include "primitives/lowering/builder.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

// `function` is one of add, mul, max, min, and, or, xor.
SsaValue identityOf(FunctionBuilder& builder, std::string_view function, ElementType type);
SsaValue combined(FunctionBuilder& builder, std::string_view function, const SsaValue& left,
                  const SsaValue& right);
// A region of two scalars that does so; "replace" returns the second one.
Region combiner(FunctionBuilder& builder, std::string_view function, ElementType type);
// stablehlo.reduce along `dimensions`.
SsaValue reduceAlong(FunctionBuilder& builder, std::string_view function, const SsaValue& operand,
                     std::span<const int64_t> dimensions);

// Over all dimensions: a scalar.
SsaValue reduceAll(FunctionBuilder& builder, std::string_view function, const SsaValue& operand);

// `direction` is LT, LE, GT or GE; the operands are complex.
SsaValue compareLexicographically(FunctionBuilder& function, std::string_view direction,
                                  const SsaValue& left, const SsaValue& right);
// The larger or the smaller one, element by element, of any type.
SsaValue extremeOf(FunctionBuilder& function, bool larger, const SsaValue& left,
                   const SsaValue& right);
// Whether the keys on the left come before those on the right in a sort: of
// floats with -0 equal to 0 and every NaN last, of several keys in turn.
SsaValue comesBefore(FunctionBuilder& function, Arguments left, Arguments right);

}  // namespace vintage::primitives::lowering
