// What a dynamic operation becomes once its shape operands are known.
#pragma once

#include "golden/base/result.h"
#include "golden/program/room.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace vintage::golden::program {

// Whether `operation` takes its shape from operands.
bool isDynamicOperation(mlir::Operation& operation);

// The static operation in place of `operation`, which has static operands; the
// values of those that are known are `known`. What it needs of operations before it is made with
// `builder`. A kUnsupported names the operand that is not known, a kBadInput sizes that cannot be.
Result<mlir::OperationState> staticOperation(mlir::Operation& operation,
                                             llvm::ArrayRef<mlir::DenseIntElementsAttr> known,
                                             mlir::OpBuilder& builder);

}  // namespace vintage::golden::program
