#include "harness/bisect/speed_probe.h"

#include <memory>
#include <mutex>

#include <fmt/format.h>

#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {
using namespace archive;

namespace {

ProbeReport noAnswer(std::string problem) {
  ProbeReport report;
  report.answer.started = false;
  report.answer.problem = problem;
  report.detail = std::move(problem);
  return report;
}

}  // namespace

Result<ProbeReport> probeSpeed(const Subject& subject, const BuildRecord& reference,
                               const BuildRecord& build, const SpeedQuestion& question,
                               const ProbeEffort& effort) {
  static std::mutex oneAtATime;
  const std::lock_guard lock(oneAtATime);
  auto host = makePosixProcessHost();
  const auto before = readyToStart(reference, *host);
  const auto after = readyToStart(build, *host);
  if (!before || !after) return noAnswer((before ? after : before).error().message);
  const SharedRecord record = std::make_shared<const ArtifactRecord>(subject.record);
  const LoadRequest load = [&](const ArtifactRecord&) -> Result<ExecuteRequest> {
    return requestOf(subject.record, subject.platform, subject.mode, subject.artifact,
                     subject.golden.inputs);
  };
  ProbeReport report;
  report.outcome = OutcomeKind::kPass;
  report.stage = Stage::kRun;
  std::string open;
  for (int process = 0; process < effort.processes; ++process) {
    ASSIGN_OR_RETURN(const auto compared, compareBuilds(*before, *after, {&record, 1}, load,
                                                        question.options, *host, {}));
    report.seconds += compared.seconds;
    if (!compared.problem.empty()) return noAnswer(compared.problem);
    const MeasuredArtifact& artifact = compared.artifacts.front();
    const MeasuredQuantity* found = artifact.find(question.quantity);
    if (!found)
      return noAnswer(artifact.problem.empty()
                          ? fmt::format("its {} is not measured", quantityName(question.quantity))
                          : artifact.problem);
    const RatioShows shows = showsAt(found->ratio, question.bound);
    report.detail = fmt::format("{}: {:.3g} times that of {} ({:.3g} to {:.3g})",
                                quantityName(question.quantity), found->ratio.value, reference.name,
                                found->ratio.low, found->ratio.high);
    if (shows == RatioShows::kNotResolved && found->ratio.high >= question.bound) {
      open = report.detail + ": not resolved";
      continue;
    }
    const std::string kind =
        shows == RatioShows::kMore
            ? fmt::format("{} {} times or more",
                          question.quantity == Quantity::kMemory ? "larger" : "slower",
                          question.bound)
            : "";
    report.answer.processes.emplace_back(static_cast<size_t>(effort.executions), kind);
  }
  if (report.answer.processes.empty()) return noAnswer(open);
  return report;
}

}  // namespace vintage::harness
