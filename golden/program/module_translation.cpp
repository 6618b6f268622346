#include "golden/program/module_translation.h"

#include <fmt/format.h>

#include "golden/dialects/vhlo/vhlo_dialect.h"
#include "golden/program/portable_attributes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
using namespace mlir;

namespace {

// The name of a function in either form; empty for other operations.
std::string functionName(mlir::Operation& operation) {
  mlir::Attribute name = operation.getAttr(SymbolTable::getSymbolAttrName());
  if (auto string = dyn_cast_or_null<StringAttr>(name)) return string.getValue().str();
  if (auto string = dyn_cast_or_null<vhlo::StringV1Attr>(name)) return string.getValue().str();
  return {};
}

}  // namespace

std::string placeOf(mlir::Operation& operation) {
  std::string place = operation.getName().getStringRef().str();
  for (mlir::Operation* around = operation.getParentOp(); around; around = around->getParentOp())
    if (std::string name = functionName(*around); !name.empty() && !isa<ModuleOp>(around))
      return fmt::format("{} in function {}", place, name);
  return place;
}

bool ModuleTranslation::fail(mlir::Operation& operation, const std::string& what) {
  if (problem_.empty()) problem_ = fmt::format("{} {}", placeOf(operation), what);
  return false;
}

OwningOpRef<ModuleOp> ModuleTranslation::translate(ModuleOp module) {
  // Unverified bytes may hold a module with any number of regions and blocks.
  if (module->getNumRegions() != 1 || !module->getRegion(0).hasOneBlock()) {
    fail(*module, "does not have exactly one block");
    return {};
  }
  OwningOpRef<ModuleOp> copy = ModuleOp::create(translateLocation(module.getLoc()));
  copy->getOperation()->setAttrs(module->getAttrDictionary());
  if (!translateBlock(*module.getBody(), *copy->getBody())) return {};
  return copy;
}

bool ModuleTranslation::translateRegion(mlir::Region& from, mlir::Region& to) {
  // All blocks first: a branch may go forward.
  for (mlir::Block& block : from) {
    auto* copy = new mlir::Block();
    to.push_back(copy);
    blocks_[&block] = copy;
    for (BlockArgument argument : block.getArguments()) {
      Type type = typeAt(*from.getParentOp(), argument.getType());
      if (!type)
        return fail(*from.getParentOp(),
                    fmt::format("has a block argument of type {}, which has no counterpart",
                                debugString(argument.getType())));
      values_[argument] = copy->addArgument(type, translateLocation(argument.getLoc()));
    }
  }
  for (mlir::Block& block : from)
    if (!translateBlock(block, *blocks_[&block])) return false;
  return true;
}

bool ModuleTranslation::translateBlock(mlir::Block& from, mlir::Block& to) {
  for (mlir::Operation& operation : from) {
    if (operation.getName().getStringRef() == "builtin.unrealized_conversion_cast" &&
        forwardCast(operation))
      continue;
    mlir::Operation* copy = translateOne(operation);
    if (!copy) return false;
    to.push_back(copy);
    ++depth_;
    if (depth_ > kDeepestNesting)
      return fail(operation, fmt::format("is nested more than {} deep", kDeepestNesting));
    for (auto [old, fresh] : llvm::zip(operation.getRegions(), copy->getRegions()))
      if (!translateRegion(old, fresh)) return false;
    --depth_;
  }
  return true;
}

// Casts stand where portable and other operations meet; in one set of types
// they lead nowhere.
bool ModuleTranslation::forwardCast(mlir::Operation& cast) {
  if (cast.getNumOperands() != cast.getNumResults()) return false;
  for (auto [operand, result] : llvm::zip(cast.getOperands(), cast.getResults())) {
    auto value = values_.find(operand);
    if (value == values_.end() || value->second.getType() != translateType(result.getType()))
      return false;
  }
  for (auto [operand, result] : llvm::zip(cast.getOperands(), cast.getResults()))
    values_[result] = values_.lookup(operand);
  return true;
}

Type ModuleTranslation::typeAt(mlir::Operation& user, Type type) {
  return keepsForeignTypes() && isForeign(user) ? type : translateType(type);
}

Value ModuleTranslation::castTo(Type type, Value value, mlir::Operation& user) {
  if (!keepsForeignTypes() || value.getType() == type) return value;
  Value& cast = casts_[value];
  if (cast) return cast;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  const Location where = isForeign(user) ? value.getLoc() : translateLocation(user.getLoc());
  cast = UnrealizedConversionCastOp::create(builder, where, type, value).getResult(0);
  return cast;
}

mlir::Operation* ModuleTranslation::translateOne(mlir::Operation& from) {
  SmallVector<Value> operands;
  for (Value operand : from.getOperands()) {
    auto found = values_.find(operand);
    if (found == values_.end()) return fail(from, "uses a value before it is defined"), nullptr;
    const Type type = typeAt(from, operand.getType());
    operands.push_back(type ? castTo(type, found->second, from) : found->second);
  }
  SmallVector<Type> resultTypes;
  for (Type type : from.getResultTypes()) {
    resultTypes.push_back(typeAt(from, type));
    if (!resultTypes.back())
      return fail(from, fmt::format("has a result of type {}, which has no counterpart",
                                    debugString(type))),
             nullptr;
  }
  SmallVector<mlir::Block*> successors;
  for (mlir::Block* block : from.getSuccessors()) {
    auto found = blocks_.find(block);
    if (found == blocks_.end()) return fail(from, "branches to a block elsewhere"), nullptr;
    successors.push_back(found->second);
  }

  mlir::Operation* model = isForeign(from) ? &from : modelOf(from);
  if (!problem_.empty()) return nullptr;
  mlir::Operation* copy = nullptr;
  if (model) {
    copy = mlir::Operation::create(translateLocation(from.getLoc()), model->getName(), resultTypes,
                                   operands, model->getDiscardableAttrDictionary(),
                                   model->getPropertiesStorage(), successors, from.getNumRegions());
  } else {
    OperationState state(translateLocation(from.getLoc()), from.getName());
    state.addTypes(resultTypes);
    state.addOperands(operands);
    state.addSuccessors(successors);
    for (unsigned i = 0; i < from.getNumRegions(); ++i) state.addRegion();
    if (!translateOperation(from, state)) return nullptr;
    copy = mlir::Operation::create(state);
  }
  for (auto [old, fresh] : llvm::zip(from.getResults(), copy->getResults())) values_[old] = fresh;
  return copy;
}

}  // namespace vintage::golden
