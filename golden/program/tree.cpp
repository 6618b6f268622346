// Program::tree(): the module as plain data.
#include <memory>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/program/program_module.h"
#include "golden/program/referred_constants.h"
#include "golden/program/tree_types.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
using namespace mlir;

// The trees' forms of types and attributes, for the programs of one context.
struct TreeMemory {
  OperationMemory<AttributeMap> operations;
  DenseMap<Type, std::unique_ptr<ValueType>> types;

  // The reference stays valid. Remembered, as printing a type takes time.
  const ValueType& type(Type type) {
    auto [entry, isNew] = types.try_emplace(type);
    if (isNew) entry->second = std::make_unique<ValueType>(valueTypeOf(type));
    return *entry->second;
  }
};

std::shared_ptr<TreeMemory> makeTreeMemory() { return std::make_shared<TreeMemory>(); }

namespace {

std::string locationText(Location location) {
  if (isa<UnknownLoc>(location)) return {};
  if (auto name = dyn_cast<NameLoc>(location)) return name.getName().str();
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return fmt::format("{}:{}:{}", std::string_view(file.getFilename().getValue()), file.getLine(),
                       file.getColumn());
  return debugString(location);
}

// Turns one function (or one operation outside of functions) into the tree,
// numbering values as it goes.
class TreeBuilder {
 public:
  TreeBuilder(TreeMemory& memory, TakenConstants* taken) : memory_(memory), taken_(taken) {
    constexpr size_t kUsualValues = 24;
    types_.reserve(kUsualValues);
  }

  Result<AttributeMap> attributes(DictionaryAttr dictionary) {
    AttributeMap result;
    if (!dictionary) return result;
    for (NamedAttribute each : dictionary)
      RETURN_IF_ERROR(add(each.getName(), each.getValue(), false, result));
    return result;
  }

  Result<Operation> operation(mlir::Operation& op) {
    Operation result;
    result.name = op.getName().getStringRef().str();
    result.location = locationText(op.getLoc());
    const bool isConstant = result.name == "stablehlo.constant" || result.name == "chlo.constant";
    // A constant's value may be large, and is rarely another's: it is not remembered.
    ASSIGN_OR_RETURN(result.attributes,
                     within(result.name, isConstant ? attributesOfConstant(op) : attributesOf(op)));
    for (Value operand : op.getOperands()) result.operands.push_back(number(operand));
    for (mlir::Region& each : op.getRegions()) {
      ASSIGN_OR_RETURN(result.regions.emplace_back(), region(each));
    }
    for (Value value : op.getResults()) result.results.push_back(number(value));
    return result;
  }

  Result<Region> region(mlir::Region& source) {
    Region result;
    for (mlir::Block& block : source) {
      Block& target = result.blocks.emplace_back();
      for (Value argument : block.getArguments()) target.arguments.push_back(number(argument));
      for (mlir::Operation& op : block) {
        ASSIGN_OR_RETURN(target.operations.emplace_back(), operation(op));
      }
    }
    return result;
  }

  std::vector<ValueType> takeValueTypes() { return std::move(types_); }

 private:
  Status add(StringAttr name, mlir::Attribute value, bool keepTensors, AttributeMap& to) {
    const auto resource =
        taken_ ? dyn_cast<DenseResourceElementsAttr>(value) : DenseResourceElementsAttr();
    auto converted = resource ? taken(resource) : attributeOf(value, keepTensors);
    if (!converted) return within("attribute " + name.str(), converted.error());
    to.emplace(name.str(), std::move(*converted));
    return {};
  }

  // Attribute by attribute: the context would keep a dictionary, which no other operation uses.
  Result<AttributeMap> attributesOfConstant(mlir::Operation& op) {
    AttributeMap result;
    for (NamedAttribute each : op.getDiscardableAttrs())
      RETURN_IF_ERROR(add(each.getName(), each.getValue(), true, result));
    const auto name = StringAttr::get(op.getContext(), "value");
    if (const auto value = op.getInherentAttr(name); value && *value)
      RETURN_IF_ERROR(add(name, *value, true, result));
    return result;
  }

  Result<AttributeMap> attributesOf(mlir::Operation& op) {
    if (const AttributeMap* known = memory_.operations.find(op)) return *known;
    ASSIGN_OR_RETURN(auto converted, attributes(op.getAttrDictionary()));
    return memory_.operations.add(op, std::move(converted));
  }

  Result<Attribute> taken(DenseResourceElementsAttr resource) {
    ASSIGN_OR_RETURN(auto tensor, taken_->take(resource));
    const ElementType type = tensor.type();
    return Attribute{std::move(tensor), type};
  }

  ValueId number(Value value) {
    const auto [entry, isNew] = numbers_.try_emplace(value, static_cast<ValueId>(types_.size()));
    if (isNew) types_.push_back(memory_.type(value.getType()));
    return entry->second;
  }

  TreeMemory& memory_;
  TakenConstants* taken_;  // Null: constants are copied.
  DenseMap<Value, ValueId> numbers_;
  std::vector<ValueType> types_;
};

Result<Function> functionOf(func::FuncOp function, TreeMemory& memory, TakenConstants* taken) {
  TreeBuilder builder(memory, taken);
  Function result;
  result.name = function.getSymName().str();
  result.isPublic = function.isPublic();
  for (Type type : function.getArgumentTypes()) result.argumentTypes.push_back(memory.type(type));
  for (Type type : function.getResultTypes()) result.resultTypes.push_back(memory.type(type));
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    ASSIGN_OR_RETURN(result.argumentAttributes.emplace_back(),
                     builder.attributes(function.getArgAttrDict(index)));
  }
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    ASSIGN_OR_RETURN(result.resultAttributes.emplace_back(),
                     builder.attributes(function.getResultAttrDict(index)));
  }
  ASSIGN_OR_RETURN(result.body, builder.region(function.getBody()));
  result.valueTypes = builder.takeValueTypes();
  return result;
}

}  // namespace

Result<ModuleTree> Program::tree() const {
  ModuleOp module = implementation_->module.get();
  const std::string& name = implementation_->name;
  TakenConstants* taken = implementation_->taken.get();
  const std::shared_ptr<TreeMemory> memory =
      implementation_->trees ? implementation_->trees : makeTreeMemory();
  ModuleTree tree;
  tree.name = module.getName().value_or("").str();
  ASSIGN_OR_RETURN(
      auto attributes,
      within(name, TreeBuilder(*memory, taken).attributes(module->getAttrDictionary())));
  tree.attributes = std::move(attributes);
  for (mlir::Operation& op : module.getOps()) {
    if (auto function = dyn_cast<func::FuncOp>(op)) {
      auto converted = functionOf(function, *memory, taken);
      if (!converted) return within(name + ": @" + function.getSymName().str(), converted.error());
      tree.functions.push_back(std::move(*converted));
    } else {
      ASSIGN_OR_RETURN(tree.others.emplace_back(),
                       within(name, TreeBuilder(*memory, taken).operation(op)));
    }
  }
  return tree;
}

}  // namespace vintage::golden
