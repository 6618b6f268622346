// Program::tree(): the module as plain data.
#include <fmt/format.h>

#include "golden/program/program_module.h"
#include "golden/program/tree_types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/raw_ostream.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace vintage::golden::program {
namespace {

std::string locationText(mlir::Location location) {
  if (mlir::isa<mlir::UnknownLoc>(location)) return {};
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(location)) return name.getName().str();
  if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(location))
    return fmt::format("{}:{}:{}", std::string_view(file.getFilename().getValue()),
                       file.getLine(), file.getColumn());
  std::string text;
  llvm::raw_string_ostream(text) << location;
  return text;
}

// Turns one function (or one operation outside of functions) into the tree,
// numbering values as it goes.
class TreeBuilder {
 public:
  Result<AttributeMap> attributes(mlir::DictionaryAttr dictionary, bool keepTensors = false) {
    AttributeMap result;
    if (!dictionary) return result;
    for (mlir::NamedAttribute each : dictionary) {
      auto value = attributeOf(each.getValue(), keepTensors);
      if (!value) return within("attribute " + each.getName().str(), value.error());
      result.emplace(each.getName().str(), std::move(*value));
    }
    return result;
  }

  Result<Operation> operation(mlir::Operation& op) {
    Operation result;
    result.name = op.getName().getStringRef().str();
    result.location = locationText(op.getLoc());
    const bool isConstant = result.name == "stablehlo.constant" || result.name == "chlo.constant";
    auto converted = attributes(op.getAttrDictionary(), isConstant);
    if (!converted) return within(result.name, converted.error());
    result.attributes = std::move(*converted);
    for (mlir::Value operand : op.getOperands()) result.operands.push_back(number(operand));
    for (mlir::Region& each : op.getRegions()) {
      ASSIGN_OR_RETURN(auto nested, region(each));
      result.regions.push_back(std::move(nested));
    }
    for (mlir::Value value : op.getResults()) result.results.push_back(number(value));
    return result;
  }

  Result<Region> region(mlir::Region& source) {
    Region result;
    for (mlir::Block& block : source) {
      Block& target = result.blocks.emplace_back();
      for (mlir::Value argument : block.getArguments())
        target.arguments.push_back(number(argument));
      for (mlir::Operation& op : block) {
        ASSIGN_OR_RETURN(auto converted, operation(op));
        target.operations.push_back(std::move(converted));
      }
    }
    return result;
  }

  std::vector<ValueType> takeValueTypes() { return std::move(types_); }

 private:
  ValueId number(mlir::Value value) {
    const auto [entry, isNew] = numbers_.try_emplace(value, static_cast<ValueId>(types_.size()));
    if (isNew) types_.push_back(type(value.getType()));
    return entry->second;
  }

  // Many values of a program share few types, and a type's text is not free.
  const ValueType& type(mlir::Type type) {
    auto [entry, isNew] = knownTypes_.try_emplace(type);
    if (isNew) entry->second = std::make_unique<ValueType>(valueTypeOf(type));
    return *entry->second;
  }

  llvm::DenseMap<mlir::Value, ValueId> numbers_;
  llvm::DenseMap<mlir::Type, std::unique_ptr<ValueType>> knownTypes_;
  std::vector<ValueType> types_;
};

Result<Function> functionOf(mlir::func::FuncOp function) {
  TreeBuilder builder;
  Function result;
  result.name = function.getSymName().str();
  result.isPublic = function.isPublic();
  for (mlir::Type type : function.getArgumentTypes())
    result.argumentTypes.push_back(valueTypeOf(type));
  for (mlir::Type type : function.getResultTypes())
    result.resultTypes.push_back(valueTypeOf(type));
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    ASSIGN_OR_RETURN(auto attributes, builder.attributes(function.getArgAttrDict(index)));
    result.argumentAttributes.push_back(std::move(attributes));
  }
  for (unsigned index = 0; index < function.getNumResults(); ++index) {
    ASSIGN_OR_RETURN(auto attributes, builder.attributes(function.getResultAttrDict(index)));
    result.resultAttributes.push_back(std::move(attributes));
  }
  ASSIGN_OR_RETURN(result.body, builder.region(function.getBody()));
  result.valueTypes = builder.takeValueTypes();
  return result;
}

}  // namespace

Result<ModuleTree> Program::tree() const {
  mlir::ModuleOp module = *implementation_->module;
  ModuleTree tree;
  tree.name = module.getName().value_or("").str();
  auto attributes = TreeBuilder().attributes(module->getAttrDictionary());
  if (!attributes) return within(implementation_->name, attributes.error());
  tree.attributes = std::move(*attributes);
  for (mlir::Operation& op : module.getOps()) {
    if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op)) {
      auto converted = functionOf(function);
      if (!converted)
        return within(implementation_->name + ": @" + function.getSymName().str(),
                      converted.error());
      tree.functions.push_back(std::move(*converted));
    } else {
      auto converted = TreeBuilder().operation(op);
      if (!converted) return within(implementation_->name, converted.error());
      tree.others.push_back(std::move(*converted));
    }
  }
  return tree;
}

}  // namespace vintage::golden::program
