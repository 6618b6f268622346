// Modules and functions: signatures, private functions, and the one way in which an
// operation is added.
#include "primitives/lowering/builder.h"

#include <algorithm>

#include <fmt/format.h>

namespace vintage::primitives::lowering {
namespace {

void markUsed(const SsaValues& values, std::vector<bool>& used) {
  for (const SsaValue& value : values) used[static_cast<size_t>(value.id)] = true;
}

void markUsed(const std::vector<BuiltOperation>& operations, std::vector<bool>& used) {
  for (const BuiltOperation& operation : operations) {
    markUsed(operation.operands, used);
    for (const BuiltRegion& region : operation.regions) {
      markUsed(region.operations, used);
      markUsed(region.returned, used);
    }
  }
}

}  // namespace

bool BuiltRegion::operator==(const BuiltRegion&) const = default;

Types typesOf(Arguments values) {
  Types types;
  for (const SsaValue& value : values) types.push_back(typeOf(value));
  return types;
}

ModuleBuilder::ModuleBuilder(std::string name, const Profile& profile) : profile_(&profile) {
  module_.name = std::move(name);
  module_.attributes = {{"jax.uses_shape_polymorphism", "false"},
                        {"mhlo.num_partitions", "1 : i32"},
                        {"mhlo.num_replicas", "1 : i32"}};
}

void ModuleBuilder::setDimensionVariables(std::vector<std::string> names) {
  dimensionVariables_ = std::move(names);
  setAttribute("jax.uses_shape_polymorphism", dimensionVariables_.empty() ? "false" : "true");
}

FunctionBuilder& ModuleBuilder::function(std::string name, const Types& arguments) {
  return function(std::move(name), arguments, !module_.functions.empty());
}

FunctionBuilder& ModuleBuilder::function(std::string name, const Types& arguments,
                                         bool takesDimensions) {
  BuiltFunction& data = module_.functions.emplace_back();
  data.name = std::move(name);
  FunctionBuilder& builder = builders_.emplace_back(*this, data);
  if (takesDimensions) {
    for (const std::string& variable : dimensionVariables_) {
      builder.dimensionValues_.push_back(builder.takeGlobal(variable));
    }
  }
  for (const TensorType& type : arguments) data.arguments.push_back(builder.newValue(type));
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
  FunctionBuilder& made =
      function(earlier == 0 ? name : fmt::format("{}_{}", name, earlier - 1), arguments,
               takesDimensions);
  privateFunctions_.push_back({name, std::move(arguments), &made});
  return {&made, true};
}

std::string ModuleBuilder::text() const {
  if (!profile_->layoutModes || module_.functions.empty()) return print(module_);
  static constexpr std::string_view kDefault = "mhlo.layout_mode = \"default\"";
  const auto say = [](const SsaValues& values, std::vector<std::string>& attributes) {
    attributes.resize(values.size());
    for (std::string& text : attributes)
      text = text.empty() ? std::string(kDefault) : fmt::format("{}, {}", kDefault, text);
  };
  BuiltModule module = module_;
  BuiltFunction& main = module.functions.front();
  say(main.arguments, main.argumentAttributes);
  say(main.returned, main.resultAttributes);
  return print(module);
}

SsaValue FunctionBuilder::takeGlobal(std::string name) {
  const SsaValue value = newValue({ElementType::kI32, {}});
  function_.globals.push_back({std::move(name), value});
  return value;
}

void FunctionBuilder::setArgumentAttributes(std::vector<std::string> attributes) {
  function_.argumentAttributes = std::move(attributes);
}

void FunctionBuilder::setResultAttributes(std::vector<std::string> attributes) {
  function_.resultAttributes = std::move(attributes);
}

std::vector<bool> FunctionBuilder::dropUnusedArguments() {
  std::vector<bool> used(static_cast<size_t>(function_.valueCount)), kept;
  markUsed(function_.operations, used);
  markUsed(function_.returned, used);
  for (const SsaValue& argument : function_.arguments) {
    kept.push_back(used[static_cast<size_t>(argument.id)]);
  }
  std::erase_if(function_.arguments,
                [&](const SsaValue& argument) { return !used[static_cast<size_t>(argument.id)]; });
  return kept;
}

SsaValues FunctionBuilder::emit(Types results, std::string_view name, const Operands& operands,
                                NamedAttributes attributes, std::vector<BuiltRegion> regions) {
  return add({.name = std::string(name),
              .operands = operands,
              .attributes = std::move(attributes),
              .regions = std::move(regions)},
             std::move(results));
}

SsaValues FunctionBuilder::add(BuiltOperation operation, Types results) {
  if (isDynamic()) makeDynamic(operation, results);
  for (TensorType& result : results) operation.results.push_back(newValue(std::move(result)));
  return block_->emplace_back(std::move(operation)).results;
}

}  // namespace vintage::primitives::lowering
