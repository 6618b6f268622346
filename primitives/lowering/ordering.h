// How JAX compares: complex numbers by their real, then their imaginary parts.
#pragma once

#include "primitives/lowering/module_writer.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

// `direction` is LT, LE, GT or GE; the operands are complex.
SsaValue compareLexicographically(FunctionWriter& function, std::string_view direction,
                               const SsaValue& left, const SsaValue& right);
// The larger or the smaller one, element by element, of any type.
SsaValue extremeOf(FunctionWriter& function, bool larger, const SsaValue& left, const SsaValue& right);
// Whether the keys on the left come before those on the right in a sort: of
// floats with -0 equal to 0 and every NaN last, of several keys in turn.
SsaValue comesBefore(FunctionWriter& function, std::span<const SsaValue> left,
                  std::span<const SsaValue> right);

}  // namespace vintage::primitives::lowering
