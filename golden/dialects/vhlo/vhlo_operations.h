// The operations of VHLO, registered from a table (golden::portableForms): artifacts are converted
// by the names of operations and attributes, so that no operation needs a class.
#pragma once

namespace mlir {
class Dialect;
}  // namespace mlir

namespace mlir::vhlo {

void registerOperations(Dialect& dialect);

}  // namespace mlir::vhlo
