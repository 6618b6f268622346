#include "harness/bisect/localize/main_operations.h"

#include <algorithm>

#include "golden/base/failures.h"
#include "golden/program/static_shapes.h"
#include "harness/runtimes/embedded/callable.h"

namespace vintage::harness {
using namespace golden;

namespace {

void makeStatic(const MainOperations& main, WholeProgram& whole) {
  const auto dynamic = std::ranges::any_of(main.function().valueTypes, [](const ValueType& type) {
    return isTensor(type) && std::ranges::count(type.shape, kDynamicDimension) > 0;
  });
  if (!dynamic) return;
  // Shapes may depend on integers: sizes of dimension variables are scalars.
  for (bool withValues : {false, true}) {
    std::vector<StaticArgument> arguments;
    for (const Tensor& one : whole.arguments) {
      StaticArgument& argument = arguments.emplace_back();
      argument.shape = one.shape();
      if (withValues && one.rank() == 0)
        if (const auto value = integerOf(one)) argument.value = {{*value}};
    }
    auto made = makeShapesStatic(whole.program, arguments);
    if (made) {
      whole.program = std::move(*made);
      return;
    }
    if (withValues) whole.notes.push_back("shapes stay dynamic: " + made.error().message);
  }
}

}  // namespace

Result<MainOperations> MainOperations::of(const Program& program) {
  MainOperations main;
  ASSIGN_OR_RETURN(auto tree, program.tree());
  main.tree_ = std::make_unique<ModuleTree>(std::move(tree));
  main.function_ = main.tree_->find("main");
  if (!main.function_ || main.function_->body.blocks.size() != 1)
    return badInput("the module has no function 'main' of one block");
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
    texts.push_back(isTensor(one) ? golden::describe(one.element, one.shape) : one.text);
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

Result<WholeProgram> openWholeProgram(const Subject& subject, ProgramContext& context) {
  ExecuteRequest request;
  request.name = subject.record.name;
  request.format = subject.record.format;
  request.platform = subject.platform;
  request.platforms = subject.record.platforms;
  request.artifact = subject.artifact;
  request.inputs = subject.golden.inputs;
  ASSIGN_OR_RETURN(const OpenedArtifact opened, openArtifact(request));
  const Callable& callable = opened.function;
  ASSIGN_OR_RETURN(auto program, context.readPortableArtifact(callable.module, request.name));
  ASSIGN_OR_RETURN(auto main, MainOperations::of(program));
  ASSIGN_OR_RETURN(auto arguments, argumentsOf(callable, main.function(), request));
  WholeProgram whole{std::move(program), std::move(arguments), {}};
  makeStatic(main, whole);
  return whole;
}

std::optional<int64_t> integerOf(const Tensor& scalar) {
  switch (scalar.type()) {
    case ElementType::kI1:
      return static_cast<int64_t>(scalar.bytes()[0] != std::byte{0});
    case ElementType::kI32:
      return scalar.values<int32_t>()[0];
    case ElementType::kI64:
      return scalar.values<int64_t>()[0];
    case ElementType::kUi32:
      return scalar.values<uint32_t>()[0];
    default:
      return std::nullopt;
  }
}

}  // namespace vintage::harness
