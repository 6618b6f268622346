#include "golden/program/excerpt.h"

#include <set>

#include "golden/base/failures.h"
#include "golden/program/program_copy.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace vintage::golden {
namespace {

bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }

}  // namespace

Result<Program> returningValues(const Program& program, std::span<const OperationResult> values,
                                const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  const auto operations = copy.operations();
  llvm::SmallVector<mlir::Value> returned;
  for (const OperationResult& value : values) {
    if (value.operation >= operations.size() ||
        value.result >= operations[value.operation]->getNumResults())
      return usageError("result {} of operation {} was asked for; @{} has {} operations",
                        value.result, value.operation, entry, operations.size());
    returned.push_back(operations[value.operation]->getResult(value.result));
  }
  copy.returnValues(returned);
  copy.dropAliases();
  copy.dropUnneeded();
  return copy.finish();
}

Result<Program> firstOperations(const Program& program, size_t count, const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  auto operations = copy.operations();
  copy.returnValues({});
  copy.dropAliases();
  while (operations.size() > count) {
    operations.back()->erase();
    operations.pop_back();
  }
  llvm::SmallVector<mlir::Value> returned;
  for (mlir::Operation* operation : operations)
    for (mlir::Value value : operation->getResults())
      if (isTensor(value) && value.use_empty()) returned.push_back(value);
  copy.returnValues(returned);
  return copy.finish();
}

Result<Excerpt> excerptOf(const Program& program, std::span<const size_t> numbers,
                          const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  if (numbers.empty()) return usageError("an excerpt needs at least one operation");
  const auto operations = copy.operations();
  const std::set<size_t> sorted(numbers.begin(), numbers.end());
  llvm::SmallPtrSet<mlir::Operation*, 16> chosen;
  for (size_t number : sorted) {
    ASSIGN_OR_RETURN(auto operation, copy.operation(number));
    chosen.insert(operation);
  }
  const auto isChosen = [&](mlir::Operation* operation) {
    for (; operation; operation = operation->getParentOp())
      if (chosen.contains(operation)) return true;
    return false;
  };
  // In the order of their first use.
  llvm::SmallVector<mlir::Value> taken;
  llvm::DenseMap<mlir::Value, bool> seen;
  for (size_t number : sorted)
    operations[number]->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* inside) {
      for (mlir::Value operand : inside->getOperands()) {
        mlir::Operation* definition = operand.getDefiningOp();
        mlir::Block* block = operand.getParentBlock();
        const bool outside = block == &copy.body() && !(definition && isChosen(definition));
        if (outside && seen.try_emplace(operand, true).second) taken.push_back(operand);
      }
    });
  std::vector<ExcerptArgument> arguments;
  const unsigned before = copy.body().getNumArguments();
  for (mlir::Value value : taken) {
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value)) {
      arguments.push_back({size_t{argument.getArgNumber()}});
    } else {
      const auto place = std::find(operations.begin(), operations.end(), value.getDefiningOp());
      arguments.push_back({OperationResult{static_cast<size_t>(place - operations.begin()),
                                           mlir::cast<mlir::OpResult>(value).getResultNumber()}});
    }
    const mlir::Value fresh = copy.body().addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(fresh, [&](mlir::OpOperand& use) { return isChosen(use.getOwner()); });
  }
  llvm::SmallVector<mlir::Value> returned;
  for (mlir::Value value : operations[*sorted.rbegin()]->getResults())
    if (isTensor(value)) returned.push_back(value);
  copy.returnValues(returned);
  for (size_t i = operations.size(); i-- > 0;)
    if (!sorted.contains(i)) {
      operations[i]->dropAllUses();
      operations[i]->erase();
    }
  copy.function().removeArgAttrsAttr();
  copy.body().eraseArguments(0, before);
  ASSIGN_OR_RETURN(auto finished, copy.finish());
  return Excerpt{std::move(finished), std::move(arguments)};
}

}  // namespace vintage::golden
