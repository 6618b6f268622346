// The attributes that StableHLO may leave out and VHLO may not.
#pragma once

#include "golden/program/portable_attributes.h"
#include "golden/program/room.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

namespace vintage::golden::program {

// In its portable form, given the portable attributes of the operation so far: the
// defaults of convolutions and windows depend on their rank. Null for kNone.
mlir::Attribute portableDefault(PortableDefault kind, PortableAttributes& translator,
                                const mlir::NamedAttrList& portable);

// Whether an attribute says what its default says. Beyond equality: any width
// of integer, and a precision list of any length.
bool saysDefault(mlir::Attribute attribute, mlir::Attribute value);

}  // namespace vintage::golden::program
