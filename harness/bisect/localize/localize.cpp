#include "harness/bisect/localize/localize.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/program/excerpt.h"
#include "harness/bisect/localize/culprit_operation.h"
#include "harness/bisect/localize/main_operations.h"
#include "harness/bisect/localize/regions.h"
#include "harness/bisect/localize/whole_program.h"

namespace vintage::harness::bisect {
namespace {

constexpr int kDeepestRegion = 16;
// Where the golden's comparator is about factors and not about elements.
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
      return failure(Error::Kind::kUsage,
                     "the consumer gives the same values as the reference: there is nothing to "
                     "localize");
    auto inlined = inlineCalls(opened.program);
    if (inlined) {
      ASSIGN_OR_RETURN(auto still, sides_.run(*inlined, arguments));
      if (still.failure || still.difference)
        opened.program = std::move(*inlined);
      else
        found_.notes.push_back(
            "with its calls inlined the program no longer fails; functions "
            "that it calls were not looked into");
    }
    RETURN_IF_ERROR(search(std::move(opened.program), arguments, 0));
    found_.executions = sides_.failing().executions();
    return std::move(found_);
  }

 private:
  // --- one level: the operations of main ---

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

  // The operation is known; into its regions, or to the reduced program.
  Status settle(CulpritSearch& level, const MainOperations& main, size_t culprit, int depth) {
    const Operation& operation = main.operation(culprit);
    std::set<size_t> operations{culprit};
    auto alone = level.runAlone(operations);
    if (!alone) return tl::unexpected<Error>(alone.error());
    found_.alone = alone->shows({});
    // It fails in company only: with ever more of what comes before it.
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
          fmt::format("the regions of {} were not looked into, or none of "
                      "their operations differs",
                      operation.name));
    ASSIGN_OR_RETURN(auto lastMain, MainOperations::of(alone->excerpt->program));
    return keep(std::move(alone->excerpt->program), std::move(alone->arguments), alone->seen,
                lastMain.size());
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

  Status keep(Program program, std::vector<Tensor> arguments, const SeenOnBoth& seen,
              size_t operations) {
    found_.reduced.text = program.print();
    ASSIGN_OR_RETURN(auto module, writeModule(program));
    found_.reduced.module = std::move(module);
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
    text = "found no operation to blame";
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

}  // namespace vintage::harness::bisect
