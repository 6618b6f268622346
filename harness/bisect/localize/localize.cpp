#include "harness/bisect/localize/localize.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/program/excerpt.h"
#include "golden/program/program.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/localize/culprit_operation.h"

namespace vintage::harness {
using namespace golden;

namespace {

// One step into a region: the branch that is taken, or the first turn of a loop that differs,
// replaces the operation around it.
struct InnerProgram {
  Program program;
  std::string inside;  // "branch 1 of stablehlo.case", "turn 3 of stablehlo.while"
};

constexpr int64_t kMostTurns = int64_t{1} << 40;

std::optional<size_t> branchTaken(const MainOperations& main, const Operation& operation,
                                  const std::vector<Tensor>& arguments) {
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

// Counted from 1. Assumes that a loop that differs after k turns also differs after more.
Result<std::optional<int64_t>> firstTurnThatDiffers(BothSides& sides, const Program& program,
                                                    size_t loop,
                                                    const std::vector<Tensor>& arguments) {
  const auto differs = [&](int64_t turns) -> Result<bool> {
    ASSIGN_OR_RETURN(auto limited, limitingTurns(program, loop, turns));
    ASSIGN_OR_RETURN(auto seen, sides.run(limited, arguments));
    return seen.failure || seen.difference.has_value();
  };
  int64_t low = 0, high = 1;
  for (;; low = high, high *= 2) {
    if (high > kMostTurns) return std::optional<int64_t>();
    ASSIGN_OR_RETURN(auto now, differs(high));
    if (now) break;
  }
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    ASSIGN_OR_RETURN(auto now, differs(middle));
    now ? high = middle : low = middle;
  }
  return std::optional(high);
}

// Opens the program's last operation. None if it has no such region, or if the failure does not
// show inside; `notes` gets the reason why a region could not be opened.
Result<std::optional<InnerProgram>> intoRegion(BothSides& sides, const Program& program,
                                               const std::vector<Tensor>& arguments,
                                               std::vector<std::string>& notes) {
  ASSIGN_OR_RETURN(auto main, MainOperations::of(program));
  if (main.size() == 0) return std::optional<InnerProgram>();
  const size_t last = main.size() - 1;
  const Operation& operation = main.operation(last);
  std::string inside;
  Result<Program> inner = usageError("");
  if (operation.name == "stablehlo.if" || operation.name == "stablehlo.case") {
    const auto branch = branchTaken(main, operation, arguments);
    if (!branch) return std::optional<InnerProgram>();
    inside = fmt::format("branch {} of {}", *branch, operation.name);
    inner = takingBranch(program, last, *branch);
  } else if (operation.name == "stablehlo.while") {
    ASSIGN_OR_RETURN(auto turn, firstTurnThatDiffers(sides, program, last, arguments));
    if (!turn) return std::optional<InnerProgram>();
    inside = fmt::format("turn {} of {}", *turn, operation.name);
    inner = unfoldingTurn(program, last, *turn - 1);
  } else {
    return std::optional<InnerProgram>();
  }
  if (inner) inner = inlineCalls(*inner);
  if (!inner) {
    notes.push_back("a region could not be searched: " + inner.error().message);
    return std::optional<InnerProgram>();
  }
  ASSIGN_OR_RETURN(auto seen, sides.run(*inner, arguments));
  if (!seen.failure && !seen.difference) return std::optional<InnerProgram>();
  // The difference may be in the region, or in the operations that pass its values on.
  ASSIGN_OR_RETURN(auto innerMain, MainOperations::of(*inner));
  if (innerMain.size() == 0) return std::optional<InnerProgram>();
  return std::optional(InnerProgram{std::move(*inner), std::move(inside)});
}

constexpr int kDeepestRegion = 16;
// For goldens whose comparator judges factors instead of elements.
constexpr int64_t kUlpsOfFactors = 64;
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
        sides_(subject, failing, reference, options.limits),
        tolerance_(toleranceOf(subject.golden)) {}

  Result<Localization> run() {
    ASSIGN_OR_RETURN(auto opened, openWholeProgram(subject_, context_));
    found_.notes = std::move(opened.notes);
    const std::vector<Tensor>& arguments = opened.arguments;
    ASSIGN_OR_RETURN(auto seen, sides_.run(opened.program, arguments));
    if (!seen.failure && !seen.difference)
      return usageError(
          "the consumer gives the same values as the reference: there is nothing to localize");
    auto inlined = inlineCalls(opened.program);
    if (inlined) {
      ASSIGN_OR_RETURN(auto still, sides_.run(*inlined, arguments));
      if (still.failure || still.difference)
        opened.program = std::move(*inlined);
      else
        found_.notes.push_back(
            "with its calls inlined the program no longer fails; functions "
            "that it calls were not searched");
    }
    RETURN_IF_ERROR(search(std::move(opened.program), arguments, 0));
    found_.executions = sides_.failing().executions();
    return std::move(found_);
  }

 private:
  Status search(Program program, std::vector<Tensor> arguments, int depth) {
    ASSIGN_OR_RETURN(auto main, MainOperations::of(program));
    ASSIGN_OR_RETURN(auto whole, sides_.run(program, arguments));
    CulpritSearch level(sides_, program, main, arguments, tolerance_, options_.mostBytes,
                        found_.notes);
    ASSIGN_OR_RETURN(auto culprit,
                     whole.failure ? level.firstThatFails(whole.actual) : level.firstThatDiffers());
    if (!culprit) {
      found_.failure = whole.failure ? describeFailure(whole.actual) : "";
      found_.difference = whole.difference;
      found_.notes.push_back(whole.failure ? "it fails before any operation"
                                           : "no single operation shows it");
      return keep(std::move(program), std::move(arguments), whole, main.size());
    }
    return settle(level, main, *culprit, depth);
  }

  // The operation is known. Continues into its regions, or makes the reduced program.
  Status settle(CulpritSearch& level, const MainOperations& main, size_t culprit, int depth) {
    const Operation& operation = main.operation(culprit);
    std::set<size_t> operations{culprit};
    auto alone = level.runAlone(operations);
    if (!alone) return tl::unexpected<Error>(alone.error());
    found_.alone = alone->shows({});
    // It fails only in company: adds more and more of the operations before it.
    while (!alone->shows({}) && grow(main, operations)) {
      alone = level.runAlone(operations);
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
      ASSIGN_OR_RETURN(auto inner,
                       intoRegion(sides_, alone->excerpt->program, alone->arguments, found_.notes));
      if (inner) {
        found_.inside.push_back(inner->inside);
        return search(std::move(inner->program), alone->arguments, depth + 1);
      }
    }
    if (!operation.regions.empty() && found_.alone)
      found_.notes.push_back(
          fmt::format("the regions of {} were not searched, or none of "
                      "their operations differs",
                      operation.name));
    ASSIGN_OR_RETURN(auto lastMain, MainOperations::of(alone->excerpt->program));
    return keep(std::move(alone->excerpt->program), std::move(alone->arguments), alone->seen,
                lastMain.size());
  }

  // Adds the producers of these operations' operands; false: no producers are left.
  static bool grow(const MainOperations& main, std::set<size_t>& operations) {
    std::set<size_t> more;
    for (size_t number : operations)
      for (ValueId operand : main.operation(number).operands)
        if (const auto key = main.result(operand)) more.insert(key->first);
    const size_t before = operations.size();
    operations.insert(more.begin(), more.end());
    return operations.size() > before;
  }

  Status keep(Program program, std::vector<Tensor> arguments, const SeenOnBoth& seen,
              size_t operations) {
    found_.reduced.text = program.print();
    ASSIGN_OR_RETURN(found_.reduced.module, writeModule(program));
    found_.reduced.arguments = std::move(arguments);
    found_.reduced.expected = seen.expected.outputs;
    found_.reduced.operations = operations;
    return {};
  }

  const Subject& subject_;
  const LocalizeOptions& options_;
  ProgramContext context_;
  BothSides sides_;
  const Tolerance tolerance_;
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
    text = "found no culprit operation";
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

}  // namespace vintage::harness
