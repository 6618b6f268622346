// Factorizations as other primitives use them, lowered for a platform.
#pragma once

#include "primitives/catalogue/case_list.h"
#include "primitives/catalogue/room.h"

namespace vintage::primitives::catalogue {

// The lower factor, with zeros above it.
SsaValue emitCholesky(FunctionWriter& main, const SsaValue& matrix, const std::string& platform);
// Q and R; `full`: Q is square.
SsaValues emitQr(FunctionWriter& main, const SsaValue& matrix, bool full,
                 const std::string& platform);
// Vectors and values; in ascending order, or as the TPU's sweeps leave them.
SsaValues emitEigh(FunctionWriter& main, const SsaValue& operand, bool lower,
                   const std::string& platform, bool sorted = true);

// JAX's svd on TPUs, by the polar decomposition: singular values, and with
// `vectors` U and V^H.
SsaValues emitTpuSvd(FunctionWriter& main, const SsaValue& matrix, bool full, bool vectors);

}  // namespace vintage::primitives::catalogue
