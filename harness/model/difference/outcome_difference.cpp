#include "harness/model/difference/outcome_difference.h"

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "reports/failure_cause.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

Result<ComparedOutcome> runOn(const Archive& archive, const ArtifactRecord& record,
                              const std::string& name, const Execution& execution,
                              ProcessHost& host) {
  ASSIGN_OR_RETURN(const auto known, findBuild(archive, name));
  ASSIGN_OR_RETURN(const auto build, readyToStart(known, host));
  ASSIGN_OR_RETURN(auto ran, runWithGolden(archive, record, build, execution, host));
  ComparedOutcome side{name, ran.outcome, ran.detail, false, {}};
  side.gaveOutputs = ran.result.outcome == OutcomeKind::kPass;
  side.outputs = std::move(ran.result.outputs);
  return side;
}

}  // namespace

Result<OutcomeDifference> compareOutcomes(const Archive& archive, const ArtifactRecord& record,
                                          std::span<const std::string> builds,
                                          const Execution& execution, ProcessHost& host) {
  if (builds.empty() || builds.size() > 2)
    return usageError("two outcomes are compared: name one build, or two");
  OutcomeDifference difference;
  if (builds.size() == 1) {
    ASSIGN_OR_RETURN(auto golden, archive.readGolden(record));
    difference.first = {"the golden", OutcomeKind::kPass, "", true, std::move(golden.expected)};
  } else {
    ASSIGN_OR_RETURN(difference.first, runOn(archive, record, builds[0], execution, host));
  }
  ASSIGN_OR_RETURN(difference.second, runOn(archive, record, builds.back(), execution, host));
  if (difference.first.gaveOutputs && difference.second.gaveOutputs)
    difference.arrays = compareArrays(named("output", difference.first.outputs),
                                      named("output", difference.second.outputs));
  return difference;
}

std::string textOf(const OutcomeDifference& difference) {
  std::string text;
  for (const ComparedOutcome* side : {&difference.first, &difference.second}) {
    const std::string outcome = outcomeName(side->outcome), detail = shortDetail(side->detail);
    // The detail of a failure begins with its outcome: "error in stage compile: …".
    const bool saysIt = detail.starts_with(outcome);
    text += fmt::format("{}: {}{}{}\n", side->build, saysIt ? "" : outcome,
                        saysIt || detail.empty() ? "" : ", ", detail);
  }
  text += textOf(std::span(difference.arrays));
  if (difference.same()) text += "the same values\n";
  return text;
}

nlohmann::json toJson(const OutcomeDifference& difference) {
  nlohmann::json outcomes = nlohmann::json::array();
  for (const ComparedOutcome* side : {&difference.first, &difference.second})
    outcomes.push_back({{"build", side->build},
                        {"outcome", outcomeName(side->outcome)},
                        {"detail", side->detail}});
  return {{"same", difference.same()},
          {"outcomes", outcomes},
          {"arrays", toJson(std::span(difference.arrays))}};
}

}  // namespace vintage::harness
