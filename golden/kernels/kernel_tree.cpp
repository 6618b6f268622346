#include "golden/kernels/kernel_tree.h"

#include "golden/base/failures.h"
#include "golden/program/tree_types.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/Operation.h"
#include "mlir/Support/DebugStringHelper.h"

namespace vintage::golden {
using namespace mlir;

namespace {

constexpr int kDeepest = 64;

// Where an operation was written: "kernel.py:12:4", the innermost of the calls that led to it.
std::string placeOf(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return fmt::format("{}:{}:{}", std::string_view(file.getFilename().getValue()), file.getLine(),
                       file.getColumn());
  if (auto name = location->findInstanceOf<NameLoc>()) return name.getName().str();
  return {};
}

ValueType kernelType(Type type) {
  ValueType result;
  if (auto vector = dyn_cast<VectorType>(type)) {
    if (auto element = elementTypeOf(vector.getElementType());
        element || vector.getElementType().isIndex()) {
      result.element = element.value_or(ElementType::kI64);
      result.shape.assign(vector.getShape().begin(), vector.getShape().end());
      result.text = debugString(type);
      return result;
    }
  }
  result = valueTypeOf(type);
  if (auto element = type.isIndex() ? ElementType::kI64 : elementTypeOf(type)) {
    result.kind = ValueType::Kind::kTensor;
    result.element = *element;
  }
  // A buffer of what no array holds (semaphores) is a buffer all the same.
  if (isa<MemRefType>(type)) result.kind = ValueType::Kind::kBuffer;
  return result;
}

class Builder {
 public:
  explicit Builder(std::string_view prefix) : prefix_(prefix) {}

  std::string nameOf(mlir::Operation& op) const {
    StringRef name = op.getName().getStringRef();
    name.consume_front(StringRef(prefix_.data(), prefix_.size()));
    return name.str();
  }

  Result<AttributeMap> attributes(mlir::Operation& op) const {
    AttributeMap result;
    for (NamedAttribute each : op.getAttrDictionary()) {
      const std::string name = each.getName().str();
      ASSIGN_OR_RETURN(auto value,
                       within("attribute " + name, attributeOf(each.getValue(), name == "value")));
      result.emplace(name, std::move(value));
    }
    return result;
  }

  Result<Operation> operation(mlir::Operation& op, int depth) {
    Operation result;
    result.name = nameOf(op);
    result.location = placeOf(op.getLoc());
    ASSIGN_OR_RETURN(result.attributes, within(result.name, attributes(op)));
    if (op.getNumSuccessors() > 0) {
      std::vector<int64_t> targets;
      for (mlir::Block* block : op.getSuccessors()) targets.push_back(blocks_.lookup(block));
      result.attributes.emplace("successors", Attribute(std::move(targets)));
    }
    for (Value operand : op.getOperands()) result.operands.push_back(number(operand));
    for (mlir::Region& each : op.getRegions()) {
      ASSIGN_OR_RETURN(result.regions.emplace_back(), region(each, depth + 1));
    }
    for (Value value : op.getResults()) result.results.push_back(number(value));
    return result;
  }

  Result<Region> region(mlir::Region& source, int depth) {
    if (depth > kDeepest) return noResource("the regions are more than {} deep", kDeepest);
    Region result;
    // Numbered first: a branch may go forward.
    int64_t index = 0;
    for (mlir::Block& block : source) blocks_[&block] = index++;
    for (mlir::Block& block : source) {
      golden::Block& target = result.blocks.emplace_back();
      for (Value argument : block.getArguments()) target.arguments.push_back(number(argument));
      for (mlir::Operation& op : block) {
        ASSIGN_OR_RETURN(target.operations.emplace_back(), operation(op, depth));
      }
    }
    return result;
  }

  std::vector<ValueType> takeTypes() { return std::move(types_); }

 private:
  ValueId number(Value value) {
    const auto [entry, isNew] = numbers_.try_emplace(value, static_cast<ValueId>(types_.size()));
    if (isNew) {
      auto [known, isFirst] = known_.try_emplace(value.getType());
      if (isFirst) known->second = kernelType(value.getType());
      types_.push_back(known->second);
    }
    return entry->second;
  }

  const std::string_view prefix_;
  DenseMap<Value, ValueId> numbers_;
  DenseMap<mlir::Block*, int64_t> blocks_;
  std::vector<ValueType> types_;
  DenseMap<Type, ValueType> known_;
};

Result<Function> functionOf(mlir::Operation& op, std::string_view prefix) {
  Builder builder(prefix);
  Function result;
  const auto name = op.getAttrOfType<StringAttr>("sym_name");
  const auto type = op.getAttrOfType<TypeAttr>("function_type");
  const auto signature = type ? dyn_cast<FunctionType>(type.getValue()) : FunctionType();
  if (!name || !signature || op.getNumRegions() != 1)
    return badInput("{} is no function: it needs sym_name, function_type and one region",
                    builder.nameOf(op));
  result.name = name.getValue().str();
  result.isPublic = true;
  for (Type each : signature.getInputs()) result.argumentTypes.push_back(kernelType(each));
  for (Type each : signature.getResults()) result.resultTypes.push_back(kernelType(each));
  ASSIGN_OR_RETURN(result.body, within("@" + result.name, builder.region(op.getRegion(0), 0)));
  result.valueTypes = builder.takeTypes();
  return result;
}

}  // namespace

Result<ModuleTree> kernelTree(ModuleOp module, std::string_view prefix) {
  Builder builder(prefix);
  ModuleTree tree;
  tree.name = module.getName().value_or("").str();
  ASSIGN_OR_RETURN(tree.attributes, builder.attributes(*module));
  for (mlir::Operation& op : module.getOps()) {
    const std::string name = builder.nameOf(op);
    if (!name.ends_with(".func")) {
      ASSIGN_OR_RETURN(tree.others.emplace_back(), builder.operation(op, 0));
      continue;
    }
    ASSIGN_OR_RETURN(auto function, functionOf(op, prefix));
    ASSIGN_OR_RETURN(auto attributes, within("@" + function.name, builder.attributes(op)));
    // A tree's functions have no attributes of their own: they stand under the function's name.
    tree.attributes.emplace("@" + function.name, Attribute(std::move(attributes)));
    tree.functions.push_back(std::move(function));
  }
  return tree;
}

}  // namespace vintage::golden
