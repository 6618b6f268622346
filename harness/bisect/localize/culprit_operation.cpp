#include "harness/bisect/localize/culprit_operation.h"

#include <algorithm>
#include <variant>

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

// Constants up to this size become part of the reduced program rather than arguments.
constexpr size_t kSmallConstantBytes = 256;

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

std::vector<OperationResult> CulpritSearch::valuesOf(size_t from, size_t to) const {
  std::vector<OperationResult> values;
  for (size_t i = from; i < to; ++i)
    for (size_t result = 0; result < main_.operation(i).results.size(); ++result)
      if (isTensor(main_.type(main_.operation(i).results[result]))) values.push_back({i, result});
  return values;
}

Result<SeenOnBoth> CulpritSearch::valuesOnBothSides(const std::vector<OperationResult>& values) {
  ASSIGN_OR_RETURN(auto part, returningValues(program_, values));
  auto seen = sides_.run(part, arguments_);
  if (seen && seen->expected.outputs.size() == values.size())
    for (size_t i = 0; i < values.size(); ++i)
      values_[{values[i].operation, values[i].result}] = seen->expected.outputs[i];
  return seen;
}

// In the order of the program; none: the values are all the same.
Result<std::vector<CulpritSearch::Differing>> CulpritSearch::differing() {
  std::vector<Differing> list;
  for (size_t from = 0; from < main_.size();) {
    size_t to = from, bytes = 0;
    while (to < main_.size() && (to == from || bytes + main_.bytesOfResults(to) <= mostBytes_))
      bytes += main_.bytesOfResults(to++);
    const auto values = valuesOf(from, to);
    from = to;
    if (values.empty()) continue;
    ASSIGN_OR_RETURN(auto seen, valuesOnBothSides(values));
    if (seen.failure || seen.actual.outputs.size() != values.size()) return list;
    for (size_t i = 0; i < values.size(); ++i) {
      const std::span expected(&seen.expected.outputs[i], 1), actual(&seen.actual.outputs[i], 1);
      if (!firstDifference(expected, actual, {})) continue;
      const bool beyond = firstDifference(expected, actual, tolerance_).has_value();
      if (list.empty() || list.back().operation != values[i].operation)
        list.push_back({values[i].operation, beyond});
      else
        list.back().beyondTolerance |= beyond;
    }
  }
  return list;
}

Result<std::optional<size_t>> CulpritSearch::firstThatDiffers() {
  ASSIGN_OR_RETURN(auto list, differing());
  if (list.empty()) return firstThatDiffersOneByOne();
  // First the values beyond the tolerance; a difference within it may be legitimate.
  for (bool beyond : {true, false})
    for (const Differing& suspect : list) {
      if (suspect.beyondTolerance != beyond) continue;
      ASSIGN_OR_RETURN(auto alone, runAlone({suspect.operation}));
      if (alone.shows(beyond ? tolerance_ : Tolerance{})) return std::optional(suspect.operation);
    }
  return std::optional(list.front().operation);
}

// For failures that disappear when all values are returned at once.
Result<std::optional<size_t>> CulpritSearch::firstThatDiffersOneByOne() {
  notes_.push_back(
      "returning all intermediate values at once hides the failure; they "
      "were returned one operation at a time");
  size_t low = 0, high = main_.size();  // The culprit is in [low, high).
  std::optional<size_t> culprit;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const auto values = valuesOf(middle, middle + 1);
    bool differs = false;
    if (!values.empty()) {
      ASSIGN_OR_RETURN(auto seen, valuesOnBothSides(values));
      differs = seen.failure || seen.difference;
    }
    if (differs) culprit = middle;
    differs ? high = middle : low = middle + 1;
  }
  return culprit;
}

Result<std::optional<size_t>> CulpritSearch::firstThatFails(const Executed& whole) {
  const auto failsLikeIt = [&](size_t count) -> Result<bool> {
    ASSIGN_OR_RETURN(auto part, firstOperations(program_, count));
    ASSIGN_OR_RETURN(auto executed, sides_.failing().run(part, arguments_));
    return executed.kind() == whole.kind();
  };
  ASSIGN_OR_RETURN(auto empty, failsLikeIt(0));
  if (empty) return std::optional<size_t>();
  size_t low = 0, high = main_.size();  // `low` operations do not fail, `high` do.
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(auto fails, failsLikeIt(middle));
    fails ? high = middle : low = middle;
  }
  RETURN_IF_ERROR(learnOperands(high - 1));
  return std::optional(high - 1);
}

Status CulpritSearch::learnOperands(size_t operation) {
  std::vector<OperationResult> values;
  for (ValueId operand : main_.operation(operation).operands)
    if (const auto key = main_.result(operand); key && isTensor(main_.type(operand)))
      values.push_back({key->first, key->second});
  if (values.empty()) return {};
  ASSIGN_OR_RETURN(auto part, returningValues(program_, values));
  ASSIGN_OR_RETURN(auto executed, sides_.reference().run(part, arguments_));
  if (executed.ran() && executed.outputs.size() == values.size())
    for (size_t i = 0; i < values.size(); ++i)
      values_[{values[i].operation, values[i].result}] = executed.outputs[i];
  return {};
}

Result<RunAlone> CulpritSearch::runAlone(std::set<size_t> operations) {
  ASSIGN_OR_RETURN(auto alone, cutOut(std::move(operations)));
  ASSIGN_OR_RETURN(alone.seen, sides_.run(alone.excerpt->program, alone.arguments));
  return alone;
}

Result<RunAlone> CulpritSearch::cutOut(std::set<size_t> operations) const {
  RunAlone alone;
  for (;;) {
    const std::vector<size_t> numbers(operations.begin(), operations.end());
    ASSIGN_OR_RETURN(auto excerpt, excerptOf(program_, numbers));
    alone.arguments.clear();
    size_t added = 0;
    for (const ExcerptArgument& one : excerpt.arguments) {
      if (const auto* number = std::get_if<size_t>(&one.source)) {
        if (!isTensor(main_.function().argumentTypes[*number])) continue;  // A token.
        alone.arguments.push_back(arguments_[main_.tensorNumber(*number)]);
        continue;
      }
      const auto& source = std::get<OperationResult>(one.source);
      const auto value = values_.find({source.operation, source.result});
      const bool known = value != values_.end();
      // A constant is part of the program; a tuple or a token cannot be an argument.
      if (!known || isSmallConstant(source.operation))
        added += operations.insert(source.operation).second;
      if (known) alone.arguments.push_back(value->second);
    }
    if (added > 0) continue;
    alone.excerpt = std::move(excerpt);
    return alone;
  }
}

bool CulpritSearch::isSmallConstant(size_t operation) const {
  return main_.operation(operation).name == "stablehlo.constant" &&
         main_.bytesOfResults(operation) <= kSmallConstantBytes;
}

}  // namespace vintage::harness
