// Functions of CHLO in the form of the module's profile.
#pragma once

#include <string_view>

#include "primitives/lowering/builder.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering::chlo {

// By CHLO's name: "erf", "next_after". The result has the operands' type and shape.
SsaValue elementwise(FunctionBuilder& builder, std::string_view name, const Operands& operands);

// The `k` largest elements along the last dimension, the largest first, and their positions.
SsaValues topK(FunctionBuilder& builder, const SsaValue& operand, int64_t k);

}  // namespace vintage::primitives::lowering::chlo
