// The polar decomposition as JAX writes it for platforms without a library's svd.
#pragma once

#include <utility>

#include "primitives/catalogue/room.h"
#include "primitives/lowering/expression.h"

namespace vintage::primitives::catalogue {

// U with orthonormal columns and H, Hermitian and positive semidefinite, of which
// [batches…, rows, columns] is the product U H; rows >= columns.
std::pair<Expression, Expression> emitPolar(FunctionWriter& main, const Expression& matrix);

}  // namespace vintage::primitives::catalogue
