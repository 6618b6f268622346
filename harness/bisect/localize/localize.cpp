#include "harness/bisect/localize/localize.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"
#include "golden/program/excerpt.h"
#include "golden/program/program.h"
#include "golden/tensor/tensor.h"
#include "harness/bisect/localize/culprit_operation.h"
#include "harness/bisect/localize/regions.h"
#include "reports/speed_report.h"

namespace vintage::harness {
using namespace golden;

namespace {

constexpr int64_t kMostTurns = int64_t{1} << 40;

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
// show inside.
Result<std::optional<InnerProgram>> intoRegion(BothSides& sides, const Program& program,
                                               const std::vector<Tensor>& arguments,
                                               std::vector<std::string>& notes) {
  const auto turn = [&](size_t loop) {
    return firstTurnThatDiffers(sides, program, loop, arguments);
  };
  ASSIGN_OR_RETURN(auto inner, openRegion(program, arguments, turn, notes));
  if (!inner) return std::optional<InnerProgram>();
  ASSIGN_OR_RETURN(auto seen, sides.run(inner->program, arguments));
  if (!seen.failure && !seen.difference) return std::optional<InnerProgram>();
  return inner;
}

// For goldens whose comparator judges factors instead of elements.
constexpr int64_t kUlpsOfFactors = 64;
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
    while (!alone->shows({}) && addProducers(main, operations)) {
      alone = level.runAlone(operations);
      if (!alone) return tl::unexpected<Error>(alone.error());
    }
    found_.name(main, culprit);
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

void Localization::name(const MainOperations& main, size_t number) {
  const Operation& named = main.operation(number);
  operation = nameOf(named);
  location = named.location;
  operands = main.describe(named.operands);
  results = main.describe(named.results);
}

std::string describe(const Localization& found) {
  std::string text;
  if (found.measured)
    text =
        fmt::format("the smallest part that shows it: {}",
                    found.alone ? found.operation : "operations that end with " + found.operation);
  else if (found.operation.empty())
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
  if (found.measured)
    text += fmt::format("\n  {}: {}", archive::quantityName(found.measured->quantity),
                        reports::measuredText(*found.measured));
  for (const std::string& note : found.notes) text += "\nnote: " + note;
  constexpr size_t kShownText = 4000;
  if (!found.reduced.text.empty())
    text +=
        fmt::format("\na program of {} operation{} that still {}{}", found.reduced.operations,
                    found.reduced.operations == 1 ? "" : "s", found.measured ? "shows it" : "fails",
                    found.reduced.text.size() <= kShownText ? ":\n" + found.reduced.text : "");
  return text;
}

}  // namespace vintage::harness
