// The attributes that StableHLO may leave out and VHLO may not.
#pragma once

#include "golden/program/portable_attributes.h"
#include "golden/program/room.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/OperationSupport.h"

namespace vintage::golden::program {

struct PortableDefault {
  llvm::StringRef attribute;  // VHLO's name.
  mlir::Attribute value;      // In its portable form.
};

// For "gather" or "func", given its portable attributes so far (the defaults of
// convolutions and windows depend on their rank).
llvm::SmallVector<PortableDefault> portableDefaults(llvm::StringRef unversioned,
                                                    PortableAttributes& translator,
                                                    const mlir::NamedAttrList& portable);

// #vhlo.result_accuracy_v1 that asks for nothing, and #vhlo.type_v1<none>.
mlir::Attribute defaultAccuracy(mlir::MLIRContext* context);
mlir::Attribute portableNone(mlir::MLIRContext* context);

// Whether an attribute says what its default says. Beyond equality: any width
// of integer, and a precision list of any length.
bool saysDefault(mlir::Attribute attribute, mlir::Attribute value);

}  // namespace vintage::golden::program
