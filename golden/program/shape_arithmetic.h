// Computes the integers of a program that are known before it runs: those that
// its shapes are made of.
#pragma once

#include "golden/program/room.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace vintage::golden::program {

// Larger values are data, and not worth keeping twice.
constexpr int64_t kLargestKnownValue = 4096;  // elements

// The one integer result of `operation`, which has static types. `operands` are
// the values of its operands, null where one is not known. Null where the result
// is not known, is too large, or would be undefined (a division by zero).
mlir::DenseIntElementsAttr foldIntegers(mlir::Operation& operation,
                                        llvm::ArrayRef<mlir::DenseIntElementsAttr> operands);

}  // namespace vintage::golden::program
