#include "primitives/lowering/module_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace vintage::primitives::lowering {

void ModuleWriter::setDimensionVariables(std::vector<std::string> names) {
  dimensionVariables_ = std::move(names);
  attributes_["jax.uses_shape_polymorphism"] = dimensionVariables_.empty() ? "false" : "true";
}

FunctionWriter& ModuleWriter::function(std::string name, std::vector<TensorType> arguments) {
  const std::span<const std::string> variables =
      functions_.empty() ? std::span<const std::string>() : dimensionVariables_;
  return functions_.emplace_back(*this, std::move(name), std::move(arguments), variables);
}

std::pair<FunctionWriter*, bool> ModuleWriter::privateFunction(const std::string& name,
                                                               std::span<const SsaValue> operands) {
  FunctionWriter*& known = privateFunctions_[name + "(" + typesText(operands) + ")"];
  if (known) return {known, false};
  std::vector<TensorType> types;
  for (const SsaValue& value : operands) types.push_back(TensorType{value.type, value.shape});
  const int earlier = privateNames_[name]++;
  std::string unique = earlier == 0 ? name : fmt::format("{}_{}", name, earlier - 1);
  known = &function(std::move(unique), std::move(types));
  return {known, true};
}

std::string ModuleWriter::text() const {
  std::vector<std::string> attributes;
  for (const auto& [key, value] : attributes_) attributes.push_back(key + " = " + value);
  std::string text =
      fmt::format("module @{} attributes {{{}}} {{\n", name_, fmt::join(attributes, ", "));
  for (const std::string& declaration : declarations_) text += "  " + declaration + "\n";
  for (const FunctionWriter& function : functions_) {
    text += function.text(&function == &functions_.front());
  }
  return text + "}\n";
}

}  // namespace vintage::primitives::lowering
