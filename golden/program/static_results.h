// The types that results have once the operands are static.
#pragma once

#include "golden/base/result.h"
#include "golden/program/room.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace vintage::golden::program {

// Whether `type`, or a part of a tuple, has a dimension of unknown size.
bool isDynamicType(mlir::Type type);

// `type` with another shape, and without bounds of dimensions.
mlir::Type withShape(mlir::Type type, llvm::ArrayRef<int64_t> shape);

// Whether a value of the static type `found` may stand where the program says
// `declared`: the same but for unknown dimensions.
bool refines(mlir::Type found, mlir::Type declared);

// Of an operation with static operands, whose own result types may still be
// dynamic. kUnsupported: the operands do not tell.
Result<llvm::SmallVector<mlir::Type>> staticResults(mlir::Operation& operation);

}  // namespace vintage::golden::program
