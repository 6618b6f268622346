// Builds a copy of a module, operation by operation, in other types.
//
// A copy, and not MLIR's dialect conversion in place: a failure leaves the
// original as it was, each operation is touched once, and the order of uses is
// the order of the text, which the bytes of an artifact depend on.
#pragma once

#include <string>

#include "golden/base/stablehlo_version.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace vintage::golden {

class ModuleTranslation {
 public:
  virtual ~ModuleTranslation() = default;

  // Null on failure: problem() says what and where.
  mlir::OwningOpRef<mlir::ModuleOp> translate(mlir::ModuleOp module);
  const std::string& problem() const { return problem_; }

 protected:
  // Null where the type has no counterpart.
  virtual mlir::Type translateType(mlir::Type type) = 0;
  // Fills in the name and attributes of `to`, whose operands and result types
  // are there already. False: fail() was called. Operations of other dialects
  // never come here; they are copied.
  virtual bool translateOperation(mlir::Operation& from, mlir::OperationState& to) = 0;
  // An operation whose name and attributes the translation of `from` gets. Null:
  // translateOperation() fills them in, or fail() was called.
  virtual mlir::Operation* modelOf(mlir::Operation& from) {
    (void)from;
    return nullptr;
  }
  virtual bool isForeign(mlir::Operation& operation) = 0;
  // Whether operations of other dialects keep their types: then values are cast where they
  // go from one kind of operation to the other.
  virtual bool keepsForeignTypes() const { return false; }
  virtual mlir::Location translateLocation(mlir::Location location) { return location; }

  // Remembers the first problem, with the operation and the function around it.
  bool fail(mlir::Operation& operation, const std::string& what);

 private:
  bool translateRegion(mlir::Region& from, mlir::Region& to);
  bool translateBlock(mlir::Block& from, mlir::Block& to);
  mlir::Operation* translateOne(mlir::Operation& from);
  bool forwardCast(mlir::Operation& cast);
  // The translation of `type` where `user` gives or takes it.
  mlir::Type typeAt(mlir::Operation& user, mlir::Type type);
  // `value`, or a cast of it right behind its definition; one for each value, with the
  // location that upstream gives it.
  mlir::Value castTo(mlir::Type type, mlir::Value value, mlir::Operation& user);

  llvm::DenseMap<mlir::Value, mlir::Value> values_, casts_;
  llvm::DenseMap<mlir::Block*, mlir::Block*> blocks_;
  std::string problem_;
  int depth_ = 0;
};

// "all_reduce in function main", for messages.
std::string placeOf(mlir::Operation& operation);

}  // namespace vintage::golden
