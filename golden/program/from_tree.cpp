// ProgramContext::build(): a module from plain data, without locations: the inverse of tree.cpp.
#include <utility>

#include <fmt/format.h>

#include "golden/program/program.h"
#include "golden/program/program_module.h"
#include "golden/program/tree_types.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"

namespace vintage::golden {
using namespace mlir;

namespace {

class ModuleFromTree {
 public:
  explicit ModuleFromTree(MLIRContext* context)
      : context_(context), nowhere_(UnknownLoc::get(context)) {}

  OwningOpRef<ModuleOp> build(const ModuleTree& tree) {
    OwningOpRef<ModuleOp> module = ModuleOp::create(nowhere_, tree.name);
    NamedAttrList attributes((*module)->getAttrDictionary());
    add(tree.attributes, "the module", attributes);
    (*module)->setAttrs(attributes.getDictionary(context_));
    for (const Operation& other : tree.others) addOperation(other, *module->getBody());
    for (const Function& function : tree.functions) addFunction(function, *module->getBody());
    return problem_.empty() ? std::move(module) : nullptr;
  }

  // The part of the tree that MLIR cannot express; empty: none.
  const std::string& problem() const { return problem_; }

 private:
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  Type type(const ValueType& type) {
    Type& known = types_[type.text];
    if (!known) known = parseType(type.text, context_);
    if (!known) fail(fmt::format("'{}' is not a type", type.text));
    return known;
  }

  Type typeOfValue(ValueId value) {
    if (value < values_.size()) return type((*valueTypes_)[value]);
    fail(fmt::format("value {} has no type", value));
    return {};
  }

  SmallVector<Type> types(const std::vector<ValueType>& all) {
    return llvm::map_to_vector(all, [this](const ValueType& each) { return type(each); });
  }

  void add(const AttributeMap& from, std::string_view place, NamedAttrList& to) {
    for (const auto& [name, attribute] : from) {
      const mlir::Attribute value = attributeFromTree(context_, name, attribute);
      if (value)
        to.append(name, value);
      else
        fail(fmt::format("the attribute {} of {} is not what its name needs", name, place));
    }
  }

  SmallVector<DictionaryAttr> dictionaries(const std::vector<AttributeMap>& all,
                                           std::string_view place) {
    return llvm::map_to_vector(all, [&](const AttributeMap& each) {
      NamedAttrList attributes;
      add(each, place, attributes);
      return attributes.getDictionary(context_);
    });
  }

  void addFunction(const Function& function, mlir::Block& to) {
    valueTypes_ = &function.valueTypes;
    values_.assign(function.valueTypes.size(), {});
    OpBuilder builder(context_);
    NamedAttrList attributes;
    // JAX marks main so, and no other public function.
    if (!function.isPublic || function.name == "main")
      attributes.append("sym_visibility",
                        builder.getStringAttr(function.isPublic ? "public" : "private"));
    const auto arguments = types(function.argumentTypes), results = types(function.resultTypes);
    if (!problem_.empty()) return;
    const auto type = builder.getFunctionType(arguments, results);
    const std::string place = "@" + function.name;
    func::FuncOp built = func::FuncOp::create(nowhere_, function.name, type, attributes.getAttrs(),
                                              dictionaries(function.argumentAttributes, place));
    to.push_back(built);
    built.setAllResultAttrs(dictionaries(function.resultAttributes, place));
    addBlocks(function.body, built.getBody());
  }

  void addBlocks(const Region& from, mlir::Region& to) {
    for (const Block& block : from.blocks) {
      auto* built = new mlir::Block();
      to.push_back(built);
      for (const ValueId argument : block.arguments) {
        const Type type = typeOfValue(argument);
        if (!type) return;
        values_[argument] = built->addArgument(type, nowhere_);
      }
      for (const Operation& operation : block.operations) addOperation(operation, *built);
    }
  }

  void addOperation(const Operation& operation, mlir::Block& to) {
    OperationState state(nowhere_, operation.name);
    if (!state.name.isRegistered()) return fail(operation.name + " is no operation");
    for (const ValueId operand : operation.operands) {
      if (operand >= values_.size() || !values_[operand])
        return fail(operation.name + " uses a value before it is defined");
      state.operands.push_back(values_[operand]);
    }
    for (const ValueId result : operation.results) state.types.push_back(typeOfValue(result));
    add(operation.attributes, operation.name, state.attributes);
    for (const Region& region : operation.regions) addBlocks(region, *state.addRegion());
    if (!problem_.empty()) return;
    mlir::Operation* built = mlir::Operation::create(state);
    to.push_back(built);
    for (size_t i = 0; i < operation.results.size(); ++i)
      values_[operation.results[i]] = built->getResult(i);
  }

  MLIRContext* context_;
  Location nowhere_;
  llvm::StringMap<Type> types_;
  const std::vector<ValueType>* valueTypes_ = nullptr;  // Of the current function.
  std::vector<Value> values_;
  std::string problem_;
};

}  // namespace

Result<Program> ProgramContext::build(const ModuleTree& tree, std::string_view name) {
  MLIRContext& context = implementation_->context;
  DiagnosticCollector diagnostics(context);
  ModuleFromTree builder(&context);
  auto module = builder.build(tree);
  if (!module || failed(verify(*module))) {
    const std::string fallback = "is not a StableHLO module: " + builder.problem();
    return failure(Error::Kind::kBadInput, diagnostics.message(name, fallback));
  }
  return programOf(std::move(module), name);
}

}  // namespace vintage::golden
