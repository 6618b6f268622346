// The LU factorization as other primitives use it.
#pragma once

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/room.h"

namespace vintage::primitives::catalogue {

// Packed factors, the exchanges of rows (counted from zero), and the permutation
// that they make.
SsaValues emitLu(FunctionWriter& main, const SsaValue& matrix, const std::string& platform);

// Of i32 pivots, batches leading.
SsaValue emitPivotsToPermutation(FunctionWriter& main, const SsaValue& pivots, int64_t rows,
                                 const std::string& platform);

}  // namespace vintage::primitives::catalogue
