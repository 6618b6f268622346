// The enumerations of VHLO beside those of StableHLO: the same cases under the
// same numbers.
#pragma once

#include "golden/program/room.h"
#include "mlir/IR/Attributes.h"

namespace vintage::golden::program {

// Null where `attribute` is no enumeration of VHLO.
mlir::Attribute enumFromPortable(mlir::Attribute attribute);
// Null where it is none of StableHLO, and for the API version of a custom call,
// which is an i32 there like any other.
mlir::Attribute enumToPortable(mlir::Attribute attribute);

}  // namespace vintage::golden::program
