#include "golden/program/excerpt.h"

#include <functional>
#include <set>

#include "golden/base/failures.h"
#include "golden/dialects/stablehlo/control_flow_ops.h"
#include "golden/program/program_copy.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace vintage::golden {
using namespace mlir;

namespace {

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

using func::FuncOp;

// A hostile program may have any number of calls.
constexpr size_t kMostOperations = 1'000'000;
constexpr int kDeepestCall = 256;

FuncOp calleeOf(mlir::Operation& operation, SymbolTable& symbols) {
  const bool call = isa<func::CallOp>(operation);
  if (!call && !isa<stablehlo::CompositeOp>(operation)) return {};
  auto reference = operation.getAttrOfType<FlatSymbolRefAttr>(call ? "callee" : "decomposition");
  auto callee = reference ? symbols.lookup<FuncOp>(reference.getValue()) : FuncOp();
  if (!callee || !isOneBlock(callee.getBody()) ||
      callee.getNumArguments() != operation.getNumOperands() ||
      callee.getNumResults() != operation.getNumResults())
    return {};
  return callee;
}

// The counter beside what the loop carries.
Value constant(OpBuilder& builder, Location where, int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  const auto elements = DenseElementsAttr::get(type, APInt(64, value, true));
  OperationState state(where, "stablehlo.constant", {}, type,
                       builder.getNamedAttr("value", elements));
  return builder.create(state)->getResult(0);
}

Value binary(OpBuilder& builder, Location where, const char* name, Value left, Value right) {
  OperationState state(where, name, {left, right}, left.getType());
  return builder.create(state)->getResult(0);
}

Value lessThan(OpBuilder& builder, Location where, Value left, Value right) {
  const auto direction = stablehlo::ComparisonDirectionAttr::get(
      builder.getContext(), stablehlo::ComparisonDirection::LT);
  OperationState state(where, "stablehlo.compare", {left, right},
                       RankedTensorType::get({}, builder.getI1Type()),
                       builder.getNamedAttr("comparison_direction", direction));
  return builder.create(state)->getResult(0);
}

// Adds the counter and its limit to the loop; the old one is gone, and the
// results of the new one that were the old one's come back.
mlir::Operation* limitLoop(mlir::Operation& loop, int64_t turns) {
  OpBuilder builder(&loop);
  const Location where = loop.getLoc();
  SmallVector<Value> operands(loop.getOperands());
  operands.push_back(constant(builder, where, 0));
  OperationState state(where, loop.getName(), operands, ValueRange(operands).getTypes(),
                       loop.getAttrs());
  for (mlir::Region& region : loop.getRegions()) {
    mlir::Region* to = state.addRegion();
    to->takeBody(region);
    const Value counter = to->front().addArgument(operands.back().getType(), where);
    mlir::Operation* terminator = to->front().getTerminator();
    OpBuilder inside(terminator);
    if (state.regions.size() == 1) {
      const Value goesOn = lessThan(inside, where, counter, constant(inside, where, turns));
      terminator->setOperand(
          0, binary(inside, where, "stablehlo.and", terminator->getOperand(0), goesOn));
    } else {
      terminator->insertOperands(
          terminator->getNumOperands(),
          binary(inside, where, "stablehlo.add", counter, constant(inside, where, 1)));
    }
  }
  mlir::Operation* limited = builder.create(state);
  for (Value result : loop.getResults())
    result.replaceAllUsesWith(limited->getResult(cast<OpResult>(result).getResultNumber()));
  loop.erase();
  return limited;
}

Result<mlir::Operation*> loopAt(ProgramCopy& copy, size_t number) {
  auto operation = copy.operation(number);
  if (!operation) return operation;
  if (!isa<stablehlo::WhileOp>(**operation) || (*operation)->getNumRegions() != 2 ||
      !isOneBlock((*operation)->getRegion(0)) || !isOneBlock((*operation)->getRegion(1)))
    return copy.wrongKind(**operation, "a while");
  return operation;
}

}  // namespace

Result<Program> returningValues(const Program& program, std::span<const OperationResult> values,
                                const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  const auto operations = copy.operations();
  SmallVector<Value> returned;
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
  SmallVector<Value> returned;
  for (mlir::Operation* operation : operations)
    for (Value value : operation->getResults())
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
  SmallPtrSet<mlir::Operation*, 16> chosen;
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
  llvm::SetVector<Value> taken;
  for (size_t number : sorted)
    operations[number]->walk<WalkOrder::PreOrder>([&](mlir::Operation* inside) {
      for (Value operand : inside->getOperands()) {
        mlir::Operation* definition = operand.getDefiningOp();
        mlir::Block* block = operand.getParentBlock();
        const bool outside = block == &copy.body() && !(definition && isChosen(definition));
        if (outside) taken.insert(operand);
      }
    });
  std::vector<ExcerptArgument> arguments;
  const unsigned before = copy.body().getNumArguments();
  for (Value value : taken) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      arguments.push_back({size_t{argument.getArgNumber()}});
    } else {
      const auto place = llvm::find(operations, value.getDefiningOp());
      arguments.push_back({OperationResult{static_cast<size_t>(place - operations.begin()),
                                           cast<OpResult>(value).getResultNumber()}});
    }
    const Value fresh = copy.body().addArgument(value.getType(), value.getLoc());
    value.replaceUsesWithIf(fresh, [&](OpOperand& use) { return isChosen(use.getOwner()); });
  }
  SmallVector<Value> returned;
  for (Value value : operations[*sorted.rbegin()]->getResults())
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

Result<Program> inlineCalls(const Program& program, const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  SymbolTable symbols(copy.module());
  size_t copied = 0;
  const std::function<Status(mlir::Operation&, int)> inlineOne = [&](mlir::Operation& operation,
                                                                     int depth) -> Status {
    FuncOp callee = calleeOf(operation, symbols);
    if (!callee) return {};
    copied += callee.getBody().front().getOperations().size();
    if (depth > kDeepestCall || copied > kMostOperations)
      return copy.unsupported(operation, "calls too deep, or itself");
    mlir::Operation* before = operation.getPrevNode();
    IRMapping mapping;
    mapping.map(callee.getArguments(), operation.getOperands());
    const auto values = copyBlock(callee.getBody().front(), mapping, &operation);
    // The copies lie between the operation and the neighbour before it.
    SmallVector<mlir::Operation*> inlined;
    for (mlir::Operation* each = before ? before->getNextNode() : &copy.body().front();
         each != &operation; each = each->getNextNode())
      inlined.push_back(each);
    replace(operation, values);
    for (mlir::Operation* each : inlined) RETURN_IF_ERROR(inlineOne(*each, depth + 1));
    return {};
  };
  for (mlir::Operation* operation : copy.operations()) RETURN_IF_ERROR(inlineOne(*operation, 0));
  return copy.finish();
}

Result<Program> takingBranch(const Program& program, size_t number, size_t branch,
                             const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  ASSIGN_OR_RETURN(auto operation, copy.operation(number));
  if (!isa<stablehlo::IfOp, stablehlo::CaseOp>(*operation) ||
      branch >= operation->getNumRegions() || !isOneBlock(operation->getRegion(branch)))
    return copy.wrongKind(*operation, "an if or a case with that branch");
  IRMapping mapping;
  const auto values = copyBlock(operation->getRegion(branch).front(), mapping, operation);
  replace(*operation, values);
  return copy.finish();
}

Result<Program> limitingTurns(const Program& program, size_t number, int64_t turns,
                              const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  ASSIGN_OR_RETURN(auto loop, loopAt(copy, number));
  limitLoop(*loop, turns);
  return copy.finish();
}

Result<Program> unfoldingTurn(const Program& program, size_t number, int64_t turns,
                              const std::string& entry) {
  ASSIGN_OR_RETURN(auto copy, ProgramCopy::of(program, entry));
  ASSIGN_OR_RETURN(auto loop, loopAt(copy, number));
  // The body goes into the limited loop; a copy of it stands behind.
  mlir::Operation* place = loop->getNextNode();
  const size_t carried = loop->getNumResults();
  mlir::Operation* limited = limitLoop(*loop, turns);
  IRMapping mapping;
  mapping.map(limited->getRegion(1).getArguments(), limited->getResults());
  mlir::Block& turn = limited->getRegion(1).front();
  SmallVector<OpOperand*> uses;
  for (OpResult result : limited->getResults())
    for (OpOperand& use : result.getUses()) uses.push_back(&use);
  const auto values = copyBlock(turn, mapping, place);
  for (OpOperand* use : uses) {
    const unsigned index = cast<OpResult>(use->get()).getResultNumber();
    if (index < carried) use->set(values[index]);
  }
  if (turns == 0) limited->replaceAllUsesWith(limited->getOperands());
  copy.dropUnneeded();  // The counter of the turn behind the loop, and a loop without a turn.
  return copy.finish();
}

}  // namespace vintage::golden
