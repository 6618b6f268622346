#include "harness/bisect/localize/whole_program.h"

#include <algorithm>

#include "golden/program/static_shapes.h"
#include "harness/bisect/localize/main_operations.h"
#include "harness/consumers/embedded/callable.h"

namespace vintage::harness::bisect {
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

}  // namespace vintage::harness::bisect
