// A copy of a program that may be changed: excerpts and inlined programs are made from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "golden/program/program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

namespace vintage::golden {

// A copy of the module, and its entry function.
class ProgramCopy {
 public:
  // kUsage where there is no such function of one block.
  static Result<ProgramCopy> of(const Program& program, const std::string& entry);

  mlir::ModuleOp module() { return *module_; }
  mlir::func::FuncOp function() { return function_; }
  mlir::Block& body() { return function_.getBody().front(); }
  mlir::Operation& terminator() { return *body().getTerminator(); }
  // Those of the body, without the terminator.
  std::vector<mlir::Operation*> operations();
  Result<mlir::Operation*> operation(size_t number);

  void returnValues(llvm::ArrayRef<mlir::Value> values);
  void dropUnneeded();
  // Aliases of results that are no longer there would be errors.
  void dropAliases();
  // Moves the program out of the copy.
  Result<Program> finish();

  tl::unexpected<Error> wrongKind(mlir::Operation& operation, const char* wanted);
  tl::unexpected<Error> unsupported(mlir::Operation& operation, const std::string& what);

 private:
  void dropUnusedFunctions();

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::func::FuncOp function_;
  std::string name_;
  std::optional<StablehloVersion> version_;
};

// Copies a block before `place`, its arguments mapped already; what its
// terminator would hand on comes back.
llvm::SmallVector<mlir::Value> copyBlock(mlir::Block& block, mlir::IRMapping& mapping,
                                         mlir::Operation* place);
bool isOneBlock(mlir::Region& region);
// Erases the operation; `values` take the place of its results.
void replace(mlir::Operation& operation, llvm::ArrayRef<mlir::Value> values);

}  // namespace vintage::golden
