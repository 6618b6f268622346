// Triangular solves as other primitives use them.
#pragma once

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/room.h"

namespace vintage::primitives::catalogue {

enum class Transposition { kNone, kTranspose, kAdjoint };

struct TriangularSolve {
  bool left, lower, unitDiagonal;
  Transposition transposition;
};

// X with op(A) X = B, or X op(A) = B: LAPACK's trsm for single matrices on the
// CPU, the compiler's operation elsewhere.
SsaValue emitTriangularSolve(FunctionWriter& main, const SsaValue& a, const SsaValue& b,
                             const TriangularSolve& solve, const std::string& platform);

}  // namespace vintage::primitives::catalogue
