// Types between their portable (VHLO) and their working form.
#pragma once

#include "golden/program/room.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Types.h"

namespace vintage::golden::program {

// Nesting of types, attributes or regions beyond this is taken for hostile.
inline constexpr int kDeepestNesting = 256;

// Both directions answer null for what has no counterpart or is malformed
// (a negative dimension, a complex of tensors), and report why as a diagnostic
// where MLIR's own checks find it. Types of other dialects stay as they are.
// Remembers what it translated; one context, one thread.
class PortableTypes {
 public:
  explicit PortableTypes(mlir::MLIRContext* context) : context_(context) {}

  // !vhlo.tensor_v1<2x!vhlo.f32_v1> to tensor<2xf32>.
  mlir::Type fromPortable(mlir::Type type);
  // tensor<2xf32> to !vhlo.tensor_v1<2x!vhlo.f32_v1>.
  mlir::Type toPortable(mlir::Type type);

 private:
  mlir::Type buildFromPortable(mlir::Type type);
  mlir::Type buildToPortable(mlir::Type type);
  bool translate(llvm::ArrayRef<mlir::Type> types, llvm::SmallVectorImpl<mlir::Type>& translated,
                 mlir::Type (PortableTypes::*direction)(mlir::Type));

  mlir::MLIRContext* context_;
  llvm::DenseMap<mlir::Type, mlir::Type> fromPortable_, toPortable_;
  int depth_ = 0;
};

}  // namespace vintage::golden::program
