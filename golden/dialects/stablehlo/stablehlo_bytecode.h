// StableHLO's own types and encodings in MLIR's bytecode. A portable artifact has VHLO's in their
// place, but for the operations of other dialects: `sdy.manual_computation` over a token.
#pragma once

#include "mlir/IR/Dialect.h"

namespace mlir::stablehlo {

// Reads and writes !stablehlo.token and #stablehlo.bounds; others are an error.
void registerBytecode(Dialect& dialect);

}  // namespace mlir::stablehlo
