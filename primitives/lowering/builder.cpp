// Modules and functions: signatures, private functions, and the one way in which an
// operation is added.
#include "primitives/lowering/builder.h"

#include <algorithm>

#include <fmt/format.h>

#include "primitives/lowering/symbolic_dimension.h"

namespace vintage::primitives {
using namespace golden;

namespace {

void markUsed(const Block& block, std::vector<bool>& used) {
  for (const Operation& operation : block.operations) {
    for (const ValueId operand : operation.operands) used[operand] = true;
    for (const Region& region : operation.regions) markUsed(region.blocks.front(), used);
  }
}

}  // namespace

Types typesOf(Arguments values) {
  Types types;
  for (const SsaValue& value : values) types.push_back(typeOf(value));
  return types;
}

ModuleBuilder::ModuleBuilder(std::string name, const Profile& profile, std::string platform)
    : profile_(&profile), platform_(std::move(platform)) {
  module_.name = std::move(name);
  const Attribute one(int64_t{1}, ElementType::kI32);
  module_.attributes = {{"jax.uses_shape_polymorphism", false},
                        {"mhlo.num_partitions", one},
                        {"mhlo.num_replicas", one}};
}

void ModuleBuilder::setDimensionVariables(std::vector<std::string> names) {
  dimensionVariables_ = std::move(names);
  setAttribute("jax.uses_shape_polymorphism", !dimensionVariables_.empty());
}

FunctionBuilder& ModuleBuilder::function(std::string name, const Types& arguments) {
  return function(std::move(name), arguments, !builders_.empty());
}

FunctionBuilder& ModuleBuilder::function(std::string name, const Types& arguments,
                                         bool takesDimensions) {
  FunctionBuilder& builder = builders_.emplace_back(*this, std::move(name));
  if (takesDimensions) {
    for (const std::string& variable : dimensionVariables_)
      builder.dimensionValues_.push_back(builder.takeGlobal(variable));
  }
  for (const TensorType& type : arguments) builder.arguments_.push_back(builder.newValue(type));
  return builder;
}

std::pair<FunctionBuilder*, bool> ModuleBuilder::privateFunction(const std::string& name,
                                                                 Types arguments,
                                                                 bool takesDimensions) {
  int earlier = 0;
  for (const PrivateFunction& known : privateFunctions_) {
    if (known.name != name) continue;
    if (known.arguments == arguments) return {known.function, false};
    ++earlier;
  }
  FunctionBuilder& made = function(earlier == 0 ? name : fmt::format("{}_{}", name, earlier - 1),
                                   arguments, takesDimensions);
  privateFunctions_.push_back({name, std::move(arguments), &made});
  return {&made, true};
}

ModuleTree ModuleBuilder::tree() const {
  ModuleTree tree = module_;
  for (const FunctionBuilder& builder : builders_) tree.functions.push_back(builder.finished());
  return tree;
}

FunctionBuilder::FunctionBuilder(ModuleBuilder& module, std::string name) : module_(module) {
  function_.name = std::move(name);
  block_ = &function_.body.blocks.emplace_back();
}

const std::string& FunctionBuilder::platform() const { return module_.platform(); }

bool FunctionBuilder::isMain() const { return this == &module_.builders_.front(); }

SsaValue FunctionBuilder::newValue(TensorType type) {
  Shape shape = type.shape;
  if (isDynamic()) std::ranges::replace_if(shape, isSymbolic, kDynamicDimension);
  function_.valueTypes.push_back(tensorOf(type.type, std::move(shape)));
  return {this, static_cast<ValueId>(function_.valueTypes.size() - 1), type.type,
          std::move(type.shape)};
}

SsaValue FunctionBuilder::takeGlobal(std::string name) {
  const SsaValue value = newValue({ElementType::kI32, {}});
  globals_.push_back({std::move(name), value});
  return value;
}

void FunctionBuilder::setAttributes(std::vector<AttributeMap> arguments,
                                    std::vector<AttributeMap> results) {
  function_.argumentAttributes = std::move(arguments);
  function_.resultAttributes = std::move(results);
}

std::vector<bool> FunctionBuilder::dropUnusedArguments() {
  std::vector<bool> used(function_.valueTypes.size()), kept;
  markUsed(function_.body.blocks.front(), used);
  for (const SsaValue& value : returned_) used[value.id] = true;
  for (const SsaValue& argument : arguments_) kept.push_back(used[argument.id]);
  std::erase_if(arguments_, [&](const SsaValue& argument) { return !used[argument.id]; });
  return kept;
}

SsaValues FunctionBuilder::emit(const Types& results, std::string_view name, Operands operands,
                                AttributeMap attributes, std::vector<Region> regions) {
  Operation operation{std::string(name), std::move(attributes), {}, {}, std::move(regions), {}};
  if (isDynamic()) makeDynamic(operation.name, operands, operation.attributes, results);
  for (const SsaValue& operand : operands) operation.operands.push_back(operand.id);
  SsaValues values;
  for (const TensorType& result : results) {
    values.push_back(newValue(result));
    operation.results.push_back(values.back().id);
  }
  block_->operations.push_back(std::move(operation));
  return values;
}

Function FunctionBuilder::finished() const {
  Function function = function_;
  function.isPublic = function.isPublic || isMain();
  Block& block = function.body.blocks.front();
  Operation last{"func.return", {}, {}, {}, {}, {}};
  std::vector<AttributeMap> arguments, results;
  const auto take = [&](ValueId value, AttributeMap attributes) {
    block.arguments.push_back(value);
    function.argumentTypes.push_back(function.valueTypes[value]);
    arguments.push_back(std::move(attributes));
  };
  const auto giveBack = [&](ValueId value, AttributeMap attributes) {
    last.operands.push_back(value);
    function.resultTypes.push_back(function.valueTypes[value]);
    results.push_back(std::move(attributes));
  };
  if (takesToken_) {
    ValueType token;
    token.kind = ValueType::Kind::kToken;
    token.text = "!stablehlo.token";
    const auto taken = static_cast<ValueId>(function.valueTypes.size());
    function.valueTypes.resize(taken + 2, token);
    take(taken, {{"jax.token", true}});
    block.operations.push_back({"stablehlo.after_all", {}, {taken}, {taken + 1}, {}, {}});
    giveBack(taken + 1, {{"jax.token", true}});
  }
  for (const GlobalConstant& global : globals_)
    take(global.value.id, {{"jax.global_constant", global.name}});
  const bool saysLayout = isMain() && module_.profile().layoutModes;
  const auto attributesOf = [&](const std::vector<AttributeMap>& given, size_t i) {
    AttributeMap attributes = given.empty() ? AttributeMap() : given[i];
    if (saysLayout) attributes.emplace("mhlo.layout_mode", "default");
    return attributes;
  };
  for (size_t i = 0; i < arguments_.size(); ++i)
    take(arguments_[i].id, attributesOf(function_.argumentAttributes, i));
  for (size_t i = 0; i < returned_.size(); ++i) {
    AttributeMap attributes = attributesOf(function_.resultAttributes, i);
    if (isMain()) {
      attributes.emplace("jax.result_info",
                         returned_.size() == 1 ? "result" : fmt::format("result[{}]", i));
    }
    giveBack(returned_[i].id, std::move(attributes));
  }
  block.operations.push_back(std::move(last));
  function.argumentAttributes = std::move(arguments);
  function.resultAttributes = std::move(results);
  return function;
}

}  // namespace vintage::primitives
