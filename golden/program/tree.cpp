// Program::tree(): the module as plain data.
#include <fmt/format.h>

#include "golden/program/in_place.h"
#include "golden/program/program_module.h"
#include "golden/program/referred_constants.h"
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
  // Null: constants are copied.
  explicit TreeBuilder(TakenConstants* taken) : taken_(taken) {}

  Result<AttributeMap> attributes(mlir::DictionaryAttr dictionary, bool keepTensors = false) {
    AttributeMap result;
    if (!dictionary) return result;
    for (mlir::NamedAttribute each : dictionary) {
      const auto resource = taken_
                                ? mlir::dyn_cast<mlir::DenseResourceElementsAttr>(each.getValue())
                                : mlir::DenseResourceElementsAttr();
      auto value = resource ? taken(resource) : attributeOf(each.getValue(), keepTensors);
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
  Result<Attribute> taken(mlir::DenseResourceElementsAttr resource) {
    ASSIGN_OR_RETURN(auto tensor, taken_->take(resource));
    const ElementType type = tensor.type();
    return Attribute{std::move(tensor), type};
  }

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

  TakenConstants* taken_;
  llvm::DenseMap<mlir::Value, ValueId> numbers_;
  llvm::DenseMap<mlir::Type, std::unique_ptr<ValueType>> knownTypes_;
  std::vector<ValueType> types_;
};

Result<Function> functionOf(mlir::func::FuncOp function, TakenConstants* taken) {
  TreeBuilder builder(taken);
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

Result<ModuleTree> treeOf(mlir::ModuleOp module, const std::string& name, TakenConstants* taken) {
  ModuleTree tree;
  tree.name = module.getName().value_or("").str();
  auto attributes = TreeBuilder(taken).attributes(module->getAttrDictionary());
  if (!attributes) return within(name, attributes.error());
  tree.attributes = std::move(*attributes);
  for (mlir::Operation& op : module.getOps()) {
    if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op)) {
      auto converted = functionOf(function, taken);
      if (!converted) return within(name + ": @" + function.getSymName().str(), converted.error());
      tree.functions.push_back(std::move(*converted));
    } else {
      auto converted = TreeBuilder(taken).operation(op);
      if (!converted) return within(name, converted.error());
      tree.others.push_back(std::move(*converted));
    }
  }
  return tree;
}

}  // namespace

Result<ModuleTree> Program::tree() const {
  return treeOf(*implementation_->module, implementation_->name, nullptr);
}

Result<ModuleTree> takeTree(Program& program) {
  const Program::Implementation& own = program.implementation();
  if (!own.inPlace) return program.tree();
  TakenConstants taken;
  return treeOf(*program.implementation().module, own.name, &taken);
}

}  // namespace vintage::golden::program
