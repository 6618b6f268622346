// How numbers of VHLO's types are represented.
#pragma once

#include <optional>

#include "llvm/ADT/APFloat.h"
#include "mlir/IR/Types.h"

namespace mlir::vhlo {

// The format of a VHLO float type; null for any other type.
const llvm::fltSemantics* floatFormat(Type type);

// The bits that an attribute of a VHLO integer or index type takes.
std::optional<unsigned> integerWidth(Type type);

}  // namespace mlir::vhlo
