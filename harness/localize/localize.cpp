#include "harness/localize/localize.h"

#include <algorithm>
#include <map>
#include <set>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/program/excerpt.h"
#include "golden/program/static_shapes.h"
#include "harness/localize/main_operations.h"
#include "harness/localize/side.h"
#include "harness/worker/callable.h"

namespace vintage {
namespace {

constexpr int kDeepestRegion = 16;
constexpr int64_t kMostTurns = int64_t{1} << 40;
// Where the golden's comparator is about factors and not about elements.
constexpr int64_t kUlpsOfFactors = 64;
// Up to here a constant becomes part of the reduced program rather than an argument.
constexpr size_t kSmallConstantBytes = 256;
constexpr const char* kCustomCall = "stablehlo.custom_call";

std::string nameOf(const Operation& operation) {
  if (operation.name != kCustomCall) return operation.name;
  const auto target = operation.attributes.find("call_target_name");
  const auto* text = target == operation.attributes.end()
                         ? nullptr
                         : std::get_if<std::string>(&target->second.value);
  return text ? fmt::format("{} @{}", operation.name, *text) : operation.name;
}

Tolerance toleranceOf(const Golden& golden) {
  Tolerance tolerance;
  for (const Comparator& comparator : golden.comparators) {
    if (comparator.kind == Comparator::Kind::kExact) return {};
    if (comparator.kind == Comparator::Kind::kElementwise) return comparator.tolerance;
    tolerance.ulps = kUlpsOfFactors;
  }
  return tolerance;
}

class Localizer {
 public:
  Localizer(const Subject& subject, const std::vector<std::string>& failing,
            const std::vector<std::string>& reference, const LocalizeOptions& options)
      : subject_(subject),
        options_(options),
        failing_(failing, subject.platform, subject.mode, options.limits),
        reference_(reference, subject.platform, subject.mode, options.limits),
        tolerance_(toleranceOf(subject.golden)) {}

  Result<Localization> run() {
    auto opened = open();
    if (!opened) return tl::unexpected<Error>(opened.error());
    auto seen = compare(*opened, arguments_);
    if (!seen) return tl::unexpected<Error>(seen.error());
    if (!seen->failure && !seen->difference)
      return failure(Error::Kind::kUsage,
                     "the consumer gives the same values as the reference: there is nothing to "
                     "localize");
    auto inlined = inlineCalls(*opened);
    if (inlined) {
      auto still = compare(*inlined, arguments_);
      if (!still) return tl::unexpected<Error>(still.error());
      if (still->failure || still->difference)
        opened = std::move(inlined);
      else
        found_.notes.push_back(
            "with its calls inlined the program no longer fails; functions "
            "that it calls were not looked into");
    }
    if (Status status = search(std::move(*opened), arguments_, 0); !status)
      return tl::unexpected<Error>(status.error());
    found_.executions = failing_.executions();
    return std::move(found_);
  }

 private:
  struct Seen {
    bool failure = false;                       // The failing side did not run.
    std::optional<ValueDifference> difference;  // Under no tolerance.
    Executed expected, actual;
  };

  // The artifact's module with static shapes, and main's arguments.
  Result<Program> open() {
    ExecuteRequest request;
    request.name = subject_.record.name;
    request.format = subject_.record.format;
    request.platform = subject_.platform;
    request.platforms = subject_.record.platforms;
    request.artifact = subject_.artifact;
    request.inputs = subject_.golden.inputs;
    auto callable = openCallable(request);
    if (!callable) return tl::unexpected<Error>(callable.error());
    auto program = context_.readPortableArtifact(callable->module, request.name);
    if (!program) return program;
    auto main = MainOperations::of(*program);
    if (!main) return tl::unexpected<Error>(main.error());
    auto arguments = argumentsOf(*callable, main->function(), request);
    if (!arguments) return tl::unexpected<Error>(arguments.error());
    arguments_ = std::move(*arguments);
    return makeStatic(std::move(*program), *main);
  }

  Result<Program> makeStatic(Program program, const MainOperations& main) {
    const auto dynamic = std::ranges::any_of(main.function().valueTypes, [](const ValueType& type) {
      return isTensor(type) && std::ranges::count(type.shape, kDynamicDimension) > 0;
    });
    if (!dynamic) return program;
    // Shapes may depend on integers: sizes of dimension variables are scalars.
    for (bool withValues : {false, true}) {
      std::vector<StaticArgument> arguments;
      for (const Tensor& one : arguments_) {
        StaticArgument& argument = arguments.emplace_back();
        argument.shape = one.shape();
        if (withValues && one.rank() == 0)
          if (const auto value = integerOf(one)) argument.value = {{*value}};
      }
      auto made = makeShapesStatic(program, arguments);
      if (made) return made;
      if (withValues) found_.notes.push_back("shapes stay dynamic: " + made.error().message);
    }
    return program;
  }

  static std::optional<int64_t> integerOf(const Tensor& scalar) {
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

  // Both sides. An error where the reference does not run it.
  Result<Seen> compare(const Program& program, std::span<const Tensor> arguments) {
    auto expected = reference_.run(program, arguments);
    if (!expected) return within("the reference", expected.error());
    if (!expected->ran())
      return failure(Error::Kind::kUsage,
                     fmt::format("the reference fails as well: {}: {}; choose another with "
                                 "--reference",
                                 expected->kind(), expected->detail));
    auto actual = failing_.run(program, arguments);
    if (!actual) return within("the failing consumer", actual.error());
    Seen seen;
    seen.failure = !actual->ran();
    if (!seen.failure) seen.difference = firstDifference(expected->outputs, actual->outputs, {});
    seen.expected = std::move(*expected);
    seen.actual = std::move(*actual);
    return seen;
  }

  // --- one level: the operations of main ---

  Status search(Program program, std::vector<Tensor> arguments, int depth) {
    auto main = MainOperations::of(program);
    if (!main) return tl::unexpected<Error>(main.error());
    auto whole = compare(program, arguments);
    if (!whole) return tl::unexpected<Error>(whole.error());
    values_.clear();
    auto culprit = whole->failure ? firstThatFails(program, *main, arguments, whole->actual)
                                  : firstThatDiffers(program, *main, arguments);
    if (!culprit) return tl::unexpected<Error>(culprit.error());
    if (!*culprit) {
      found_.failure = whole->failure ? describeFailure(whole->actual) : "";
      found_.difference = whole->difference;
      found_.notes.push_back(whole->failure ? "it fails before any operation"
                                            : "no single operation shows it");
      return keep(std::move(program), std::move(arguments), *whole, main->size());
    }
    return settle(program, *main, arguments, **culprit, depth);
  }

  static std::string describeFailure(const Executed& executed) {
    return fmt::format("{}: {}", executed.kind(), executed.detail);
  }

  // Results of operations [from, to) as a list for returningValues.
  std::vector<OperationResult> valuesOf(const MainOperations& main, size_t from, size_t to) const {
    std::vector<OperationResult> values;
    for (size_t i = from; i < to; ++i)
      for (size_t result = 0; result < main.operation(i).results.size(); ++result)
        if (isTensor(main.type(main.operation(i).results[result]))) values.push_back({i, result});
    return values;
  }

  // The values of one stretch of operations on both sides; the reference's are kept.
  Result<Seen> valuesOnBothSides(const Program& program, std::span<const Tensor> arguments,
                                 const std::vector<OperationResult>& values) {
    auto part = returningValues(program, values);
    if (!part) return tl::unexpected<Error>(part.error());
    auto seen = compare(*part, arguments);
    if (seen && seen->expected.outputs.size() == values.size())
      for (size_t i = 0; i < values.size(); ++i)
        values_[{values[i].operation, values[i].result}] = seen->expected.outputs[i];
    return seen;
  }

  struct Suspect {
    size_t operation;
    bool beyondTolerance;
  };

  // In the order of the program; none: the values are all the same.
  Result<std::vector<Suspect>> suspects(const Program& program, const MainOperations& main,
                                        std::span<const Tensor> arguments) {
    std::vector<Suspect> list;
    for (size_t from = 0; from < main.size();) {
      size_t to = from, bytes = 0;
      while (to < main.size() &&
             (to == from || bytes + main.bytesOfResults(to) <= options_.mostBytes))
        bytes += main.bytesOfResults(to++);
      const auto values = valuesOf(main, from, to);
      from = to;
      if (values.empty()) continue;
      auto seen = valuesOnBothSides(program, arguments, values);
      if (!seen) return tl::unexpected<Error>(seen.error());
      if (seen->failure || seen->actual.outputs.size() != values.size()) return list;
      for (size_t i = 0; i < values.size(); ++i) {
        const std::span expected(&seen->expected.outputs[i], 1),
            actual(&seen->actual.outputs[i], 1);
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

  Result<std::optional<size_t>> firstThatDiffers(const Program& program, const MainOperations& main,
                                                 std::span<const Tensor> arguments) {
    auto list = suspects(program, main, arguments);
    if (!list) return tl::unexpected<Error>(list.error());
    if (list->empty()) return firstThatDiffersOneByOne(program, main, arguments);
    // Beyond the tolerance first; what differs within it may be legitimate.
    for (bool beyond : {true, false})
      for (const Suspect& suspect : *list) {
        if (suspect.beyondTolerance != beyond) continue;
        auto alone = runAlone(program, main, arguments, {suspect.operation});
        if (!alone) return tl::unexpected<Error>(alone.error());
        if (alone->shows(beyond ? tolerance_ : Tolerance{}))
          return std::optional(suspect.operation);
      }
    return std::optional(list->front().operation);
  }

  // The failure goes away when all values are asked for at once.
  Result<std::optional<size_t>> firstThatDiffersOneByOne(const Program& program,
                                                         const MainOperations& main,
                                                         std::span<const Tensor> arguments) {
    found_.notes.push_back(
        "asking for all intermediate values at once hides the failure; they "
        "were asked for one operation at a time");
    size_t low = 0, high = main.size();  // The culprit is in [low, high).
    std::optional<size_t> culprit;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      const auto values = valuesOf(main, middle, middle + 1);
      bool differs = false;
      if (!values.empty()) {
        auto seen = valuesOnBothSides(program, arguments, values);
        if (!seen) return tl::unexpected<Error>(seen.error());
        differs = seen->failure || seen->difference;
      }
      if (differs) culprit = middle;
      differs ? high = middle : low = middle + 1;
    }
    return culprit;
  }

  // The consumer refuses or dies.
  Result<std::optional<size_t>> firstThatFails(const Program& program, const MainOperations& main,
                                               std::span<const Tensor> arguments,
                                               const Executed& whole) {
    const auto failsLikeIt = [&](size_t count) -> Result<bool> {
      auto part = firstOperations(program, count);
      if (!part) return tl::unexpected<Error>(part.error());
      auto executed = failing_.run(*part, arguments);
      if (!executed) return tl::unexpected<Error>(executed.error());
      return executed->kind() == whole.kind();
    };
    auto empty = failsLikeIt(0);
    if (!empty) return tl::unexpected<Error>(empty.error());
    if (*empty) return std::optional<size_t>();
    size_t low = 0, high = main.size();  // `low` operations do not fail, `high` do.
    while (high - low > 1) {
      const size_t middle = low + (high - low) / 2;
      auto fails = failsLikeIt(middle);
      if (!fails) return tl::unexpected<Error>(fails.error());
      *fails ? high = middle : low = middle;
    }
    // What the operation takes, for executing it alone.
    std::vector<OperationResult> values;
    for (ValueId operand : main.operation(high - 1).operands)
      if (const auto key = main.result(operand); key && isTensor(main.type(operand)))
        values.push_back({key->first, key->second});
    if (!values.empty()) {
      auto part = returningValues(program, values);
      if (!part) return tl::unexpected<Error>(part.error());
      auto executed = reference_.run(*part, arguments);
      if (!executed) return tl::unexpected<Error>(executed.error());
      if (executed->ran() && executed->outputs.size() == values.size())
        for (size_t i = 0; i < values.size(); ++i)
          values_[{values[i].operation, values[i].result}] = executed->outputs[i];
    }
    return std::optional(high - 1);
  }

  // --- an operation alone ---

  struct Alone {
    std::optional<Excerpt> excerpt;  // None: an operand's value is not known.
    std::vector<Tensor> arguments;
    Seen seen;
    bool shows(const Tolerance& tolerance) const {
      return excerpt && (seen.failure ||
                         firstDifference(seen.expected.outputs, seen.actual.outputs, tolerance));
    }
  };

  Result<Alone> runAlone(const Program& program, const MainOperations& main,
                         std::span<const Tensor> arguments, std::set<size_t> operations) {
    Alone alone;
    for (;;) {
      const std::vector<size_t> numbers(operations.begin(), operations.end());
      auto excerpt = excerptOf(program, numbers);
      if (!excerpt) return tl::unexpected<Error>(excerpt.error());
      alone.arguments.clear();
      size_t added = 0;
      for (const ExcerptArgument& one : excerpt->arguments) {
        if (const auto* number = std::get_if<size_t>(&one.source)) {
          if (!isTensor(main.function().argumentTypes[*number])) continue;  // A token.
          alone.arguments.push_back(arguments[main.tensorNumber(*number)]);
          continue;
        }
        const auto& source = std::get<OperationResult>(one.source);
        const auto value = values_.find({source.operation, source.result});
        const bool known = value != values_.end();
        // A constant is part of the program, a tuple or a token cannot be given.
        if (!known || isSmallConstant(main, source.operation))
          added += operations.insert(source.operation).second;
        if (known) alone.arguments.push_back(value->second);
      }
      if (added > 0) continue;
      auto seen = compare(excerpt->program, alone.arguments);
      if (!seen) return tl::unexpected<Error>(seen.error());
      alone.seen = std::move(*seen);
      alone.excerpt = std::move(*excerpt);
      return alone;
    }
  }

  static bool isSmallConstant(const MainOperations& main, size_t operation) {
    return main.operation(operation).name == "stablehlo.constant" &&
           main.bytesOfResults(operation) <= kSmallConstantBytes;
  }

  // The operation is known; into its regions, or to the reduced program.
  Status settle(const Program& program, const MainOperations& main,
                std::span<const Tensor> arguments, size_t culprit, int depth) {
    const Operation& operation = main.operation(culprit);
    std::set<size_t> operations{culprit};
    auto alone = runAlone(program, main, arguments, operations);
    if (!alone) return tl::unexpected<Error>(alone.error());
    found_.alone = alone->shows({});
    // It fails in company only: with ever more of what comes before it.
    while (!alone->shows({}) && grow(main, operations)) {
      alone = runAlone(program, main, arguments, operations);
      if (!alone) return tl::unexpected<Error>(alone.error());
    }
    found_.operation = nameOf(operation);
    found_.location = operation.location;
    found_.operands = main.describe(operation.operands);
    found_.results = main.describe(operation.results);
    found_.difference = alone->seen.difference;
    found_.failure = alone->seen.failure ? describeFailure(alone->seen.actual) : "";
    if (!alone->shows({}))
      found_.notes.push_back(
          "no part of the program shows it again; the reduced program is the "
          "operation alone");
    if (found_.alone && depth < kDeepestRegion) {
      auto inner = intoRegion(alone->excerpt->program, alone->arguments);
      if (!inner) return tl::unexpected<Error>(inner.error());
      if (*inner) return search(std::move(**inner), alone->arguments, depth + 1);
    }
    if (!operation.regions.empty() && found_.alone)
      found_.notes.push_back(
          fmt::format("the regions of {} were not looked into, or none of "
                      "their operations differs",
                      operation.name));
    auto lastMain = MainOperations::of(alone->excerpt->program);
    if (!lastMain) return tl::unexpected<Error>(lastMain.error());
    return keep(std::move(alone->excerpt->program), std::move(alone->arguments), alone->seen,
                lastMain->size());
  }

  // Adds the operations that make what these take; false: there are none left.
  static bool grow(const MainOperations& main, std::set<size_t>& operations) {
    std::set<size_t> more;
    for (size_t number : operations)
      for (ValueId operand : main.operation(number).operands)
        if (const auto key = main.result(operand)) more.insert(key->first);
    const size_t before = operations.size();
    operations.insert(more.begin(), more.end());
    return operations.size() > before;
  }

  // --- regions ---

  // The program with the branch that is taken, or the first turn that differs,
  // in the operation's place; none where that does not show the failure.
  Result<std::optional<Program>> intoRegion(const Program& program,
                                            const std::vector<Tensor>& arguments) {
    auto main = MainOperations::of(program);
    if (!main) return tl::unexpected<Error>(main.error());
    if (main->size() == 0) return std::optional<Program>();
    const size_t last = main->size() - 1;
    const Operation& operation = main->operation(last);
    std::string inside;
    Result<Program> inner = failure(Error::Kind::kUsage, "");
    if (operation.name == "stablehlo.if" || operation.name == "stablehlo.case") {
      const auto branch = branchTaken(*main, operation, arguments);
      if (!branch) return std::optional<Program>();
      inside = fmt::format("branch {} of {}", *branch, operation.name);
      inner = takingBranch(program, last, *branch);
    } else if (operation.name == "stablehlo.while") {
      auto turn = firstTurnThatDiffers(program, last, arguments);
      if (!turn) return tl::unexpected<Error>(turn.error());
      if (!*turn) return std::optional<Program>();
      inside = fmt::format("turn {} of {}", **turn, operation.name);
      inner = unfoldingTurn(program, last, **turn - 1);
    } else {
      return std::optional<Program>();
    }
    if (inner) inner = inlineCalls(*inner);
    if (!inner) {
      found_.notes.push_back("a region could not be looked into: " + inner.error().message);
      return std::optional<Program>();
    }
    auto seen = compare(*inner, arguments);
    if (!seen) return tl::unexpected<Error>(seen.error());
    if (!seen->failure && !seen->difference) return std::optional<Program>();
    // Is it in the region, or in what hands its values on?
    auto innerMain = MainOperations::of(*inner);
    if (!innerMain) return tl::unexpected<Error>(innerMain.error());
    if (innerMain->size() == 0) return std::optional<Program>();
    found_.inside.push_back(inside);
    return std::optional(std::move(*inner));
  }

  std::optional<size_t> branchTaken(const MainOperations& main, const Operation& operation,
                                    const std::vector<Tensor>& arguments) const {
    const ValueId operand = operation.operands.at(0);
    std::optional<Tensor> chosen;
    if (const auto argument = main.argument(operand)) {
      chosen = arguments[main.tensorNumber(*argument)];
    } else if (const auto key = main.result(operand)) {
      const auto& attributes = main.operation(key->first).attributes;
      const auto value = attributes.find("value");
      if (value != attributes.end())
        if (const auto* tensor = std::get_if<Tensor>(&value->second.value)) chosen = *tensor;
    }
    if (!chosen || chosen->size() != 1) return std::nullopt;
    const auto value = integerOf(*chosen);
    if (!value) return std::nullopt;
    if (operation.name == "stablehlo.if") return *value ? 0 : 1;
    const auto branches = static_cast<int64_t>(operation.regions.size());
    return static_cast<size_t>(*value < 0 || *value >= branches ? branches - 1 : *value);
  }

  // Counted from 1. A loop that differs after k turns is taken to differ after more.
  Result<std::optional<int64_t>> firstTurnThatDiffers(const Program& program, size_t loop,
                                                      const std::vector<Tensor>& arguments) {
    const auto differs = [&](int64_t turns) -> Result<bool> {
      auto limited = limitingTurns(program, loop, turns);
      if (!limited) return tl::unexpected<Error>(limited.error());
      auto seen = compare(*limited, arguments);
      if (!seen) return tl::unexpected<Error>(seen.error());
      return seen->failure || seen->difference.has_value();
    };
    int64_t low = 0, high = 1;
    for (;; low = high, high *= 2) {
      if (high > kMostTurns) return std::optional<int64_t>();
      auto now = differs(high);
      if (!now) return tl::unexpected<Error>(now.error());
      if (*now) break;
    }
    while (high - low > 1) {
      const int64_t middle = low + (high - low) / 2;
      auto now = differs(middle);
      if (!now) return tl::unexpected<Error>(now.error());
      *now ? high = middle : low = middle;
    }
    return std::optional(high);
  }

  Status keep(Program program, std::vector<Tensor> arguments, const Seen& seen, size_t operations) {
    found_.reduced.text = program.print();
    auto module = writeModule(program);
    if (!module) return tl::unexpected<Error>(module.error());
    found_.reduced.module = std::move(*module);
    found_.reduced.arguments = std::move(arguments);
    found_.reduced.expected = seen.expected.outputs;
    found_.reduced.operations = operations;
    return {};
  }

  const Subject& subject_;
  const LocalizeOptions& options_;
  ProgramContext context_;
  Side failing_, reference_;
  Tolerance tolerance_;
  std::vector<Tensor> arguments_;
  std::map<MainOperations::ValueKey, Tensor> values_;  // Of the reference, at the present level.
  Localization found_;
};

}  // namespace

Result<Localization> localize(const Subject& subject, const std::vector<std::string>& failing,
                              const std::vector<std::string>& reference,
                              const LocalizeOptions& options) {
  return Localizer(subject, failing, reference, options).run();
}

std::string describe(const Localization& found) {
  std::string text;
  if (found.operation.empty())
    text = "no operation could be blamed";
  else if (found.failure.empty())
    text = "the first operation whose value differs: " + found.operation;
  else
    text = "the operation at which it fails: " + found.operation;
  for (auto one = found.inside.rbegin(); one != found.inside.rend(); ++one)
    text += "\n  in " + *one;
  if (!found.location.empty()) text += "\n  at " + found.location;
  if (!found.operation.empty())
    text += fmt::format("\n  ({}) -> ({})", fmt::join(found.operands, ", "),
                        fmt::join(found.results, ", "));
  if (found.difference) text += "\n  " + describe(*found.difference);
  if (!found.failure.empty()) text += "\n  " + found.failure;
  for (const std::string& note : found.notes) text += "\nnote: " + note;
  constexpr size_t kShownText = 4000;
  if (!found.reduced.text.empty())
    text += fmt::format("\na program of {} operation{} that still fails{}",
                        found.reduced.operations, found.reduced.operations == 1 ? "" : "s",
                        found.reduced.text.size() <= kShownText ? ":\n" + found.reduced.text : "");
  return text;
}

}  // namespace vintage
