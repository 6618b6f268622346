// Custom calls whose results take their shapes from operands, made static.
#pragma once

#include <optional>

#include "golden/base/result.h"
#include "golden/program/room.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace vintage::golden::program {

// What takes the place of a custom call with results of unknown size, as XLA refines it:
//   - indices_of_shape_operands names an operand for each result. They and the attribute go;
//   - @stablehlo.dynamic_rng_bit_generator becomes stablehlo.rng_bit_generator;
//   - @stablehlo.dynamic_approx_top_k becomes @ApproxTopK with its k in the backend's configuration.
// None where `operation` is no such call. Errors are those of staticOperation().
Result<std::optional<mlir::OperationState>> staticCustomCall(
    mlir::Operation& operation, llvm::ArrayRef<mlir::DenseIntElementsAttr> known);

}  // namespace vintage::golden::program
