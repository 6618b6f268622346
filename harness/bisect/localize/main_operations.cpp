#include "harness/bisect/localize/main_operations.h"

#include <algorithm>

namespace vintage::harness::bisect {

Result<MainOperations> MainOperations::of(const Program& program) {
  MainOperations main;
  ASSIGN_OR_RETURN(auto tree, program.tree());
  main.tree_ = std::make_unique<ModuleTree>(std::move(tree));
  main.function_ = main.tree_->find("main");
  if (!main.function_ || main.function_->body.blocks.size() != 1)
    return failure(Error::Kind::kBadInput, "the module has no function 'main' of one block");
  const Block& block = main.block();
  for (size_t i = 0; i < block.arguments.size(); ++i) main.argumentOf_[block.arguments[i]] = i;
  for (size_t i = 0; i + 1 < block.operations.size(); ++i)
    for (size_t result = 0; result < block.operations[i].results.size(); ++result)
      main.resultOf_[block.operations[i].results[result]] = {i, result};
  return main;
}

std::optional<size_t> MainOperations::argument(ValueId value) const {
  const auto found = argumentOf_.find(value);
  return found == argumentOf_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<MainOperations::ValueKey> MainOperations::result(ValueId value) const {
  const auto found = resultOf_.find(value);
  return found == resultOf_.end() ? std::nullopt : std::optional(found->second);
}

size_t MainOperations::tensorNumber(size_t argument) const {
  const auto& types = function_->argumentTypes;
  return static_cast<size_t>(
      std::count_if(types.begin(), types.begin() + static_cast<long>(argument), isTensor));
}

std::vector<std::string> MainOperations::describe(const std::vector<ValueId>& values) const {
  std::vector<std::string> texts;
  for (ValueId value : values) {
    const ValueType& one = type(value);
    texts.push_back(isTensor(one) ? golden::tensor::describe(one.element, one.shape) : one.text);
  }
  return texts;
}

size_t MainOperations::bytesOfResults(size_t number) const {
  size_t bytes = 0;
  for (ValueId value : operation(number).results) {
    const ValueType& one = type(value);
    if (!isTensor(one)) continue;
    const auto count = checkedElementCount(one.shape);
    bytes += count ? static_cast<size_t>(*count) * byteWidth(one.element) : size_t{1} << 20;
  }
  return bytes;
}

}  // namespace vintage::harness::bisect
