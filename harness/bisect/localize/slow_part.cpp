#include "harness/bisect/localize/slow_part.h"

#include <set>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "golden/program/excerpt.h"
#include "harness/bisect/localize/culprit_operation.h"
#include "harness/bisect/localize/regions.h"
#include "reports/speed_report.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;
using namespace reports;

namespace {

BuildRecord buildOf(const char* name, const std::vector<std::string>& command) {
  BuildRecord build;
  build.name = name;
  build.start.emplace().worker = command;
  return build;
}

class SlowPartSearch {
 public:
  SlowPartSearch(const Subject& subject, const std::vector<std::string>& slow,
                 const std::vector<std::string>& reference, const SpeedQuestion& question,
                 const LocalizeOptions& options)
      : subject_(subject),
        question_(question),
        options_(options),
        slow_(buildOf("the slow build", slow)),
        reference_(buildOf("the reference", reference)),
        sides_(subject, slow, reference, options.limits),
        host_(makePosixProcessHost()) {}

  Result<Localization> run() {
    ASSIGN_OR_RETURN(auto opened, openWholeProgram(subject_, context_));
    found_.notes = std::move(opened.notes);
    ASSIGN_OR_RETURN(auto whole, measure(opened.program, opened.arguments));
    if (!shows(whole))
      return usageError("the program alone does not show it ({}): there is nothing to localize",
                        whole ? measuredText(*whole) : problem_);
    if (auto inlined = inlineCalls(opened.program)) {
      ASSIGN_OR_RETURN(const auto still, measure(*inlined, opened.arguments));
      if (shows(still))
        opened.program = std::move(*inlined);
      else
        found_.notes.push_back(
            "with its calls inlined the program no longer shows it; functions that it calls were "
            "not searched");
    }
    RETURN_IF_ERROR(search(std::move(opened.program), opened.arguments, 0));
    if (!problem_.empty()) found_.notes.push_back("a part could not be measured: " + problem_);
    return std::move(found_);
  }

 private:
  using Measured = std::optional<MeasuredQuantity>;  // None: it could not be measured.

  Result<Measured> measure(const Program& program, std::span<const Tensor> arguments) {
    ++found_.executions;
    const SharedRecord record = std::make_shared<const ArtifactRecord>(subject_.record);
    const LoadRequest load = [&](const ArtifactRecord&) {
      return requestFor(program, arguments, subject_.platform, subject_.mode);
    };
    ASSIGN_OR_RETURN(const auto compared, compareBuilds(reference_, slow_, {&record, 1}, load,
                                                        question_.options, *host_, {}));
    if (!compared.problem.empty()) return ioError("{}", compared.problem);
    const MeasuredArtifact& artifact = compared.artifacts.front();
    const MeasuredQuantity* found = artifact.find(question_.quantity);
    if (!artifact.problem.empty()) problem_ = artifact.problem;
    return found ? Measured(*found) : std::nullopt;
  }
  bool shows(const Measured& measured) const {
    return measured && showsAt(measured->ratio, question_.bound) == RatioShows::kMore;
  }

  Status search(Program program, std::vector<Tensor> arguments, int depth) {
    ASSIGN_OR_RETURN(auto main, MainOperations::of(program));
    CulpritSearch level(sides_, program, main, arguments, {}, options_.mostBytes, found_.notes);
    size_t low = 0, high = main.size();  // `low` operations do not show it, `high` do.
    while (high - low > 1) {
      const size_t middle = low + (high - low) / 2;
      ASSIGN_OR_RETURN(auto part, firstOperations(program, middle));
      ASSIGN_OR_RETURN(const auto measured, measure(part, arguments));
      shows(measured) ? high = middle : low = middle;
    }
    if (high == 0) return usageError("the program has no operation");
    const size_t culprit = high - 1;
    RETURN_IF_ERROR(level.learnOperands(culprit));
    found_.name(main, culprit);
    std::set<size_t> operations{culprit};
    ASSIGN_OR_RETURN(auto part, level.cutOut(operations));
    ASSIGN_OR_RETURN(auto measured, measure(part.excerpt->program, part.arguments));
    found_.alone = shows(measured);
    while (!shows(measured) && addProducers(main, operations)) {
      ASSIGN_OR_RETURN(part, level.cutOut(operations));
      ASSIGN_OR_RETURN(measured, measure(part.excerpt->program, part.arguments));
    }
    if (!shows(measured)) {
      found_.notes.push_back("no part shows it but the whole beginning of the program");
      ASSIGN_OR_RETURN(auto beginning, firstOperations(program, high));
      ASSIGN_OR_RETURN(measured, measure(beginning, arguments));
      return keep(std::move(beginning), std::move(arguments), measured);
    }
    if (found_.alone && depth < kDeepestRegion) {
      const auto firstTurn = [](size_t) -> Result<std::optional<int64_t>> { return 1; };
      ASSIGN_OR_RETURN(auto inner,
                       openRegion(part.excerpt->program, part.arguments, firstTurn, found_.notes));
      if (inner) {
        ASSIGN_OR_RETURN(const auto inside, measure(inner->program, part.arguments));
        if (shows(inside)) {
          found_.inside.push_back(inner->inside);
          return search(std::move(inner->program), part.arguments, depth + 1);
        }
        found_.notes.push_back(inner->inside + " alone does not show it");
      }
    }
    return keep(std::move(part.excerpt->program), std::move(part.arguments), measured);
  }

  Status keep(Program program, std::vector<Tensor> arguments, const Measured& measured) {
    found_.measured = measured;
    ASSIGN_OR_RETURN(auto main, MainOperations::of(program));
    ASSIGN_OR_RETURN(auto expected, sides_.reference().run(program, arguments));
    found_.reduced.text = program.print();
    ASSIGN_OR_RETURN(found_.reduced.module, writeModule(program));
    found_.reduced.arguments = std::move(arguments);
    found_.reduced.expected = std::move(expected.outputs);
    found_.reduced.operations = main.size();
    return {};
  }

  const Subject& subject_;
  const SpeedQuestion& question_;
  const LocalizeOptions& options_;
  const BuildRecord slow_, reference_;
  ProgramContext context_;
  BothSides sides_;
  std::unique_ptr<ProcessHost> host_;
  std::string problem_;  // Of the last part that could not be measured.
  Localization found_;
};

}  // namespace

Result<Localization> localizeSlow(const Subject& subject, const std::vector<std::string>& slow,
                                  const std::vector<std::string>& reference,
                                  const SpeedQuestion& question, const LocalizeOptions& options) {
  return SlowPartSearch(subject, slow, reference, question, options).run();
}

}  // namespace vintage::harness
