// The constraints that many elementwise operations have in common.
#pragma once

#include "mlir/IR/Operation.h"

namespace mlir::stablehlo {

// All operands and the one result have the same shape and elements (operation_c1).
LogicalResult verifySameTypes(Operation* operation);
// All operands and the one result have the same shape (operation_c1).
LogicalResult verifySameShapes(Operation* operation);
// verifySameTypes of most, and the constraints of convert, real, imag,
// uniform_quantize and uniform_dequantize, whose elements differ.
LogicalResult verifyUnary(Operation* operation);

}  // namespace mlir::stablehlo
