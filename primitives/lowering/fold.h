// Folds as JAX lowers them: the function's operation, its identity's literal,
// and the reductions that use them.
#pragma once

#include "primitives/lowering/module_writer.h"
#include "primitives/lowering/room.h"

namespace vintage::primitives::lowering {

// `function` is one of add, mul, max, min, and, or, xor.
std::string identityLiteral(std::string_view function, ElementType type);
SsaValue combined(FunctionWriter& writer, std::string_view function, const SsaValue& left,
               const SsaValue& right);
// stablehlo.reduce along `dimensions`, in the short form where one operation does it.
SsaValue reduceAlong(FunctionWriter& writer, std::string_view function, const SsaValue& operand,
                  std::span<const int64_t> dimensions);

}  // namespace vintage::primitives::lowering
