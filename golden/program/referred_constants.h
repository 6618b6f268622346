// Keeps large constants in memory once, where the caller does not need the artifact's bytes again.
//
// MLIR copies a constant when it is read (into VHLO's attribute) and when it is upgraded (into
// StableHLO's), and the tree holds a third copy. Here the reader makes a resource of the builtin
// dialect instead, which refers to the artifact's bytes. The tree moves it into a tensor with the
// alignment that the kernels need, and returns the pages to the system. Rejected: tensors that
// refer to the artifact, as a constant there has no alignment.
#pragma once

#include <cstddef>
#include <span>

#include "golden/base/result.h"
#include "golden/module/module_tree.h"
#include "golden/program/portable_attributes.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Bytecode/BytecodeReaderConfig.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"

namespace vintage::golden {

// Smaller ones are copied.
inline constexpr size_t kLargeConstant = size_t{64} << 10;

// Lives while the reader runs. The constants that it makes refer to the bytes that are read.
class ReferredConstants {
 public:
  explicit ReferredConstants(mlir::MLIRContext* context) : types_(context) {}
  void attach(mlir::BytecodeReaderConfig& config);
  bool any() const { return made_ > 0; }

 private:
  mlir::LogicalResult read(mlir::DialectBytecodeReader& reader, llvm::StringRef dialect,
                           mlir::Attribute& entry);

  PortableTypes types_;
  size_t made_ = 0;
};

// Whether such resources are values of constants and stand nowhere else.
bool onlyConstantsRefer(mlir::ModuleOp module);

// Moves the constants of one module out of the bytes that it was read from. The module refers to
// the tensors from then on.
class TakenConstants {
 public:
  // Operations that share a constant share the tensor.
  Result<Tensor> take(mlir::DenseResourceElementsAttr constant);

 private:
  llvm::DenseMap<mlir::Attribute, Tensor> taken_;
};

}  // namespace vintage::golden
