#include "reports/run_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/verdict/failure_cause.h"
#include "reports/run_report_parts.h"

namespace vintage::reports {
namespace {

constexpr std::pair<Cell, const char*> kTold[] = {
    {Cell::kFail, "FAILED"},
    {Cell::kRunnerError, "RUNNER ERROR"},
    {Cell::kUnexpectedPass, "UNEXPECTED PASS"},
};

std::string tellPair(const ReplayedPair& pair, const char* heading) {
  std::string text = fmt::format("{} {}\n", heading, pair.name);
  text += fmt::format("  artifact {} of {} ({})\n", pair.artifact.substr(0, 12), pair.producer,
                      formatDate(pair.artifactBuildDate));
  text += fmt::format("  on {} ({}), {} {}{}\n", pair.build, formatDate(pair.consumerBuildDate),
                      pair.platform, pair.mode,
                      pair.promise.empty() ? "" : fmt::format("; promise: {}", pair.promise));
  if (isSuccess(pair.outcome))
    text +=
        fmt::format("  passed although limitation {} says that it fails: delete the limitation\n",
                    pair.limitation);
  else
    text += fmt::format("  {} in stage {}: {}\n", outcomeName(pair.outcome), stageName(pair.stage),
                        pair.detail.empty() ? "no detail was recorded" : shortDetail(pair.detail));
  if (const auto failure = failureClassOf(pair.outcome, pair.stage, pair.detail))
    text += fmt::format("  class: {}\n", failureClassName(*failure));
  if (!pair.command.empty()) text += fmt::format("  again: {}\n", pair.command);
  return text;
}

std::string tellScope(const RunSummary& summary) {
  std::string text;
  if (!summary.scope.empty()) text += fmt::format("scope: {}\n", summary.scope);
  for (const Unjudged& one : summary.outOfScope)
    text += fmt::format("out of scope: {}\n", unjudgedText(one));
  for (const MissingPart& one : summary.missing)
    text += fmt::format("MISSING {}{}\n", unjudgedText(one.part),
                        one.promise.empty() ? "" : fmt::format("; promise: {}", one.promise));
  return text;
}

std::string tellPromise(const RunSummary& summary, const std::string& promise) {
  std::string text =
      fmt::format("promise {}: {}", promise, verdictName(verdictOf(summary, promise)));
  for (const SameProgram& same : summary.samePrograms)
    if (same.promise == promise)
      text += fmt::format(" ({} build{} of its window {} the same program as {})", same.builds,
                          same.builds == 1 ? "" : "s", same.builds == 1 ? "is" : "are", same.build);
  return text + "\n";
}

std::string tellSuspect(const Suspect& suspect) {
  return fmt::format(
      "SUSPECT {}: {} of the {} artifacts that hold it fail; look at {} first, the "
      "smallest is {}\n",
      suspect.operation, suspect.failing, suspect.holding,
      suspect.primitives.empty() ? "the smallest program"
                                 : fmt::format("{}", fmt::join(suspect.primitives, ", ")),
      suspect.simplest);
}

}  // namespace

std::string runReportText(const RunSummary& summary, size_t longest) {
  const RunCounts counts = countPairs(summary);
  const Verdict verdict = verdictOf(summary);
  std::string text;
  size_t listed = 0, omitted = 0;
  for (const auto& [cell, heading] : kTold) {
    std::vector<const ReplayedPair*> inCell;
    for (const ReplayedPair& pair : summary.pairs)
      if (cellOf(pair) == cell) inCell.push_back(&pair);
    for (const Cause<ReplayedPair>& cause : causesOf(sortedPairs(std::move(inCell)))) {
      if (listed == longest) {
        omitted += cause.size();
        continue;
      }
      ++listed;
      text += tellPair(*cause.front(), heading);
      if (cause.size() > 1) text += fmt::format("  {}\n", othersOf(cause));
      text += "\n";
    }
  }
  if (omitted > 0)
    text +=
        fmt::format("… and {} more; the JSON report and the archive hold all of them\n\n", omitted);
  for (const std::string& breakage : summary.breakages) text += fmt::format("BROKE {}\n", breakage);
  if (!summary.breakages.empty()) text += "\n";
  for (const std::string& limitation : summary.unmatchedLimitations)
    text += fmt::format(
        "UNMATCHED limitation {}: it covers nothing that was chosen; delete or "
        "correct it\n",
        limitation);
  if (!summary.unmatchedLimitations.empty()) text += "\n";
  for (const std::string& limitation : summary.needlessLimitations)
    text += fmt::format("LIMITATION {}\n", limitation);
  if (!summary.needlessLimitations.empty()) text += "\n";

  for (const Suspect& suspect : summary.suspects) text += tellSuspect(suspect);
  if (!summary.suspects.empty()) text += "\n";

  std::string reason;
  int64_t sameReason = 0;
  const auto flushReason = [&] {
    if (sameReason > 0) text += fmt::format("skipped {}: {}\n", sameReason, reason);
  };
  for (const SkippedPair* skip : sortedSkips(summary)) {
    if (skip->reason != reason) {
      flushReason();
      reason = skip->reason;
      sameReason = 0;
    }
    ++sameReason;
  }
  flushReason();

  text += fmt::format("run {} of {}\n", summary.run, formatDate(summary.today));
  text += fmt::format("ran {} pairs in {:.1f} s", counts.ran, summary.seconds);
  for (int cell = 0; cell < kCellCount; ++cell) {
    const int64_t count = counts.cells[static_cast<size_t>(cell)];
    if (count > 0) text += fmt::format(", {} {}", count, cellName(static_cast<Cell>(cell)));
  }
  text += "\n";
  if (!summary.phases.empty()) text += fmt::format("phases: {}\n", phasesText(summary.phases));
  for (const auto& [key, count] : counts.stages)
    text +=
        fmt::format("  {} in stage {}: {}\n", outcomeName(key.first), stageName(key.second), count);
  for (const auto& [failure, count] : counts.failures)
    text += fmt::format("  class {}: {}\n", failureClassName(failure), count);
  text += tellScope(summary);
  for (const std::string& promise : promisesOf(summary)) text += tellPromise(summary, promise);
  for (const auto& [what, place] : summary.places) text += fmt::format("{}: {}\n", what, place);
  text +=
      fmt::format("verdict: {}: {}\n", verdictName(verdict), explanation(summary, counts, verdict));
  return text;
}

}  // namespace vintage::reports
