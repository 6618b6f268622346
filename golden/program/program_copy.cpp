#include "golden/program/program_copy.h"

#include "golden/base/failures.h"
#include "golden/program/module_translation.h"
#include "golden/program/program_module.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

namespace vintage::golden {
using namespace mlir;

using func::FuncOp;

Result<ProgramCopy> ProgramCopy::of(const Program& program, const std::string& entry) {
  ProgramCopy copy;
  const Program::Implementation& source = program.implementation();
  copy.name_ = source.name;
  copy.version_ = source.artifactVersion;
  copy.module_ = OwningOpRef<ModuleOp>(cast<ModuleOp>(source.module.get()->clone()));
  copy.function_ = SymbolTable(*copy.module_).lookup<FuncOp>(entry);
  if (!copy.function_ || !copy.function_.getBody().hasOneBlock())
    return usageError("{}: there is no function @{} of one block", source.name, entry);
  return copy;
}

std::vector<mlir::Operation*> ProgramCopy::operations() {
  const auto all = llvm::make_pointer_range(body().without_terminator());
  return {all.begin(), all.end()};
}

Result<mlir::Operation*> ProgramCopy::operation(size_t number) {
  const auto all = operations();
  if (number < all.size()) return all[number];
  return usageError("{}: operation {} was asked for; @{} has {}", name_, number,
                    function_.getName().str(), all.size());
}

void ProgramCopy::returnValues(ArrayRef<Value> values) {
  terminator().setOperands(values);
  function_.removeResAttrsAttr();
}

void ProgramCopy::dropUnneeded() {
  auto all = operations();
  for (auto each = all.rbegin(); each != all.rend(); ++each)
    if ((*each)->use_empty()) (*each)->erase();
}

void ProgramCopy::dropAliases() {
  for (unsigned index = 0; index < function_.getNumArguments(); ++index)
    for (const char* attribute : {"tf.aliasing_output", "jax.buffer_donor"})
      function_.removeArgAttr(index, attribute);
}

Result<Program> ProgramCopy::finish() {
  function_.setFunctionType(FunctionType::get(function_.getContext(), body().getArgumentTypes(),
                                              terminator().getOperandTypes()));
  dropUnusedFunctions();
  DiagnosticCollector diagnostics(*function_.getContext());
  if (failed(verify(*module_)))
    return vintage::unsupported("{}: a part of the program is not valid: {}", name_,
                                diagnostics.message(name_, "it does not verify"));
  return programOf(std::move(module_), name_, version_);
}

tl::unexpected<Error> ProgramCopy::wrongKind(mlir::Operation& operation, const char* wanted) {
  return usageError("{}: {} is not {}", name_, placeOf(operation), wanted);
}
tl::unexpected<Error> ProgramCopy::unsupported(mlir::Operation& operation,
                                               const std::string& what) {
  return vintage::unsupported("{}: {} {}", name_, placeOf(operation), what);
}

// One pass a depth of calls: a function whose caller went away goes next.
void ProgramCopy::dropUnusedFunctions() {
  for (bool dropped = true; dropped;) {
    dropped = false;
    for (FuncOp each : llvm::make_early_inc_range(module_->getOps<FuncOp>()))
      if (each != function_ && SymbolTable::symbolKnownUseEmpty(each, *module_)) {
        each.erase();
        dropped = true;
      }
  }
}

SmallVector<Value> copyBlock(mlir::Block& block, IRMapping& mapping, mlir::Operation* place) {
  OpBuilder builder(place);
  for (mlir::Operation& operation : block.without_terminator()) builder.clone(operation, mapping);
  SmallVector<Value> values;
  for (Value value : block.getTerminator()->getOperands())
    values.push_back(mapping.lookupOrDefault(value));
  return values;
}

bool isOneBlock(mlir::Region& region) {
  return region.hasOneBlock() && region.front().mightHaveTerminator();
}

void replace(mlir::Operation& operation, ArrayRef<Value> values) {
  for (auto [result, value] : llvm::zip_equal(operation.getResults(), values))
    result.replaceAllUsesWith(value);
  operation.erase();
}

}  // namespace vintage::golden
