// The steps of makeShapesStatic(): types of results once the operands are static, static forms of
// operations, and the integers that shapes are computed from.
#pragma once

#include <optional>

#include "golden/base/result.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace vintage::golden {

// Whether `type`, or a part of a tuple, has a dimension of unknown size.
bool isDynamicType(mlir::Type type);

// `type` with another shape, and without bounds of dimensions.
mlir::Type withShape(mlir::Type type, llvm::ArrayRef<int64_t> shape);

// Whether a value of the static type `found` may stand where the program declares `declared`: they
// may differ only in dimensions that `declared` leaves unknown.
bool refines(mlir::Type found, mlir::Type declared);

// The result types of an operation with static operands, in place of its own, which may still be
// dynamic. kUnsupported: they do not follow from the operands. They stay dynamic where the
// operation is invalid.
Result<llvm::SmallVector<mlir::Type>> staticResults(mlir::Operation& operation);

// The static form of an operation that takes its shape from operands, or of a custom call with
// results of unknown size; none for others. `operation` has static operands, and `known` holds the
// values of those that are known, otherwise null. `builder` makes the operations that the static
// form needs before it. kUnsupported names the operand that is not known; kBadInput the impossible
// sizes.
Result<std::optional<mlir::OperationState>> staticForm(
    mlir::Operation& operation, llvm::ArrayRef<mlir::DenseIntElementsAttr> known,
    mlir::OpBuilder& builder);

// Larger values are data, and not worth keeping twice.
constexpr int64_t kLargestKnownValue = 4096;  // elements

// The one integer result of `operation`, which has static types. `operands` are
// the values of its operands, null where one is not known. Null where the result
// is not known, is too large, or would be undefined (a division by zero).
mlir::DenseIntElementsAttr foldIntegers(mlir::Operation& operation,
                                        llvm::ArrayRef<mlir::DenseIntElementsAttr> operands);

}  // namespace vintage::golden
