// Folds as JAX lowers them: the function's operation, its identity's literal,
// and the reductions that use them.
#pragma once

#include "primitives/lowering/module_writer.h"

namespace vintage {

// `function` is one of add, mul, max, min, and, or, xor.
std::string identityLiteral(std::string_view function, ElementType type);
Value combined(FunctionWriter& writer, std::string_view function, const Value& left,
               const Value& right);
// stablehlo.reduce along `dimensions`, in the short form where one operation does it.
Value reduceAlong(FunctionWriter& writer, std::string_view function, const Value& operand,
                  std::span<const int64_t> dimensions);

}  // namespace vintage
