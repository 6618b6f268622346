#include "reports/run_report.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vintage::reports {
namespace {

using Json = nlohmann::ordered_json;

Cell cellOf(const ReplayedPair& pair) { return judge(pair.outcome, !pair.limitation.empty()); }

// In an order that does not depend on which worker was faster.
std::vector<const ReplayedPair*> sortedPairs(const RunSummary& summary) {
  std::vector<const ReplayedPair*> pairs;
  for (const ReplayedPair& pair : summary.pairs) pairs.push_back(&pair);
  std::sort(pairs.begin(), pairs.end(), [](const auto* a, const auto* b) {
    const auto key = [](const ReplayedPair& pair) {
      return std::tie(pair.build, pair.platform, pair.mode, pair.artifactBuildDate, pair.name,
                      pair.producer, pair.artifact, pair.detail);
    };
    return key(*a) < key(*b);
  });
  return pairs;
}

Verdict judgePairs(const RunSummary& summary, const std::string_view* promise) {
  PairCounts counts;
  for (const ReplayedPair& pair : summary.pairs) {
    if (promise != nullptr && pair.promise != *promise) continue;
    switch (cellOf(pair)) {
      case Cell::kPass:
      case Cell::kUnexpectedPass: ++counts.passed; break;
      case Cell::kRunnerError: ++counts.unknown; break;
      case Cell::kFail: ++counts.failed; break;
      default: ++counts.expectedFailures;
    }
  }
  counts.unknown += static_cast<int64_t>(summary.breakages.size());
  return verdictOf(counts);
}

std::string explanation(const RunSummary& summary, const RunCounts& counts, Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return fmt::format("each of {} pairs that ran passed or failed as declared", counts.ran);
    case Verdict::kBroken:
      return fmt::format("{} of {} pairs fail, and no declared limitation covers them",
                         counts[Cell::kFail], counts.ran);
    case Verdict::kNothingPassed:
      return fmt::format("{} pairs ran, and not one of them passed: look for one cause",
                         counts.ran);
    case Verdict::kNothingRan:
      return fmt::format("no pair ran ({} were skipped): check the filters, the window and the "
                         "archive",
                         summary.skipped.size());
    case Verdict::kCannotTell:
      return fmt::format(
          "cannot tell whether the promises hold: {} breakage{} of the run, {} "
          "runner error{}",
          summary.breakages.size(), summary.breakages.size() == 1 ? "" : "s",
          counts[Cell::kRunnerError], counts[Cell::kRunnerError] == 1 ? "" : "s");
  }
  return {};
}

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
  if (pair.outcome == OutcomeKind::kPass)
    text +=
        fmt::format("  passed although limitation {} says that it fails: delete the limitation\n",
                    pair.limitation);
  else
    text += fmt::format("  {} in stage {}: {}\n", outcomeName(pair.outcome), stageName(pair.stage),
                        pair.detail.empty() ? "no detail was recorded" : pair.detail);
  if (!pair.command.empty()) text += fmt::format("  again: {}\n", pair.command);
  return text;
}

Json jsonOfCells(const RunCounts& counts) {
  Json cells = Json::object();
  for (int cell = 0; cell < kCellCount; ++cell)
    cells[std::string(cellName(static_cast<Cell>(cell)))] = counts.cells[static_cast<size_t>(cell)];
  return cells;
}

Json jsonOfPair(const ReplayedPair& pair) {
  return Json{{"name", pair.name},
              {"artifact", pair.artifact},
              {"producer", pair.producer},
              {"artifact_build_date", formatDate(pair.artifactBuildDate)},
              {"build", pair.build},
              {"consumer_build_date", formatDate(pair.consumerBuildDate)},
              {"platform", pair.platform},
              {"mode", pair.mode},
              {"promise", pair.promise},
              {"cell", cellName(cellOf(pair))},
              {"outcome", outcomeName(pair.outcome)},
              {"stage", stageName(pair.stage)},
              {"detail", pair.detail},
              {"seconds", pair.seconds},
              {"limitation", pair.limitation},
              {"command", pair.command}};
}

std::vector<std::string> promisesOf(const RunSummary& summary) {
  std::vector<std::string> promises{"backward", "forward"};
  for (const ReplayedPair& pair : summary.pairs) {
    if (!pair.promise.empty() &&
        std::find(promises.begin(), promises.end(), pair.promise) == promises.end())
      promises.push_back(pair.promise);
  }
  std::sort(promises.begin(), promises.end());
  return promises;
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

Json jsonOfSuspect(const Suspect& suspect) {
  return Json{{"operation", suspect.operation},
              {"failing", suspect.failing},
              {"holding", suspect.holding},
              {"primitives", suspect.primitives},
              {"simplest", suspect.simplest}};
}

std::vector<const SkippedPair*> sortedSkips(const RunSummary& summary) {
  std::vector<const SkippedPair*> skips;
  for (const SkippedPair& skip : summary.skipped) skips.push_back(&skip);
  std::sort(skips.begin(), skips.end(), [](const auto* a, const auto* b) {
    return std::tie(a->reason, a->build, a->platform, a->mode, a->name, a->artifact) <
           std::tie(b->reason, b->build, b->platform, b->mode, b->name, b->artifact);
  });
  return skips;
}

}  // namespace

RunCounts countPairs(const RunSummary& summary) {
  RunCounts counts;
  counts.ran = static_cast<int64_t>(summary.pairs.size());
  for (const ReplayedPair& pair : summary.pairs) {
    ++counts.cells[static_cast<size_t>(cellOf(pair))];
    ++counts.outcomes[pair.outcome];
    if (pair.outcome != OutcomeKind::kPass) ++counts.stages[{pair.outcome, pair.stage}];
  }
  counts.cells[static_cast<size_t>(Cell::kUntested)] = static_cast<int64_t>(summary.skipped.size());
  return counts;
}

Verdict verdictOf(const RunSummary& summary) { return judgePairs(summary, nullptr); }
Verdict verdictOf(const RunSummary& summary, std::string_view promise) {
  return judgePairs(summary, &promise);
}

std::string runReportText(const RunSummary& summary, size_t longest) {
  const RunCounts counts = countPairs(summary);
  const Verdict verdict = verdictOf(summary);
  const auto pairs = sortedPairs(summary);
  std::string text;
  size_t listed = 0, omitted = 0;
  for (const auto& [cell, heading] : kTold) {
    for (const ReplayedPair* pair : pairs) {
      if (cellOf(*pair) != cell) continue;
      if (listed == longest) {
        ++omitted;
        continue;
      }
      ++listed;
      text += tellPair(*pair, heading) + "\n";
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
  for (const std::string& promise : promisesOf(summary))
    text += fmt::format("promise {}: {}\n", promise, verdictName(verdictOf(summary, promise)));
  for (const auto& [what, place] : summary.places) text += fmt::format("{}: {}\n", what, place);
  text +=
      fmt::format("verdict: {}: {}\n", verdictName(verdict), explanation(summary, counts, verdict));
  return text;
}

std::string runReportJson(const RunSummary& summary) {
  const RunCounts counts = countPairs(summary);
  const Verdict verdict = verdictOf(summary);
  Json report{{"format", "vintage run report"},
              {"version", 1},
              {"run", summary.run},
              {"kind", summary.kind},
              {"command_line", summary.commandLine},
              {"archive", summary.archive},
              {"today", formatDate(summary.today)},
              {"started", summary.started},
              {"seconds", summary.seconds},
              {"phases", phasesJson(summary.phases)},
              {"verdict", verdictName(verdict)},
              {"exit_status", exitStatus(verdict)},
              {"explanation", explanation(summary, counts, verdict)}};
  Json promises = Json::object();
  for (const std::string& promise : promisesOf(summary))
    promises[promise] = verdictName(verdictOf(summary, promise));
  report["promises"] = promises;
  report["counts"] = {{"ran", counts.ran}, {"skipped", summary.skipped.size()}};
  report["counts"]["cells"] = jsonOfCells(counts);
  Json outcomes = Json::object();
  for (const auto& [outcome, count] : counts.outcomes) outcomes[outcomeName(outcome)] = count;
  report["counts"]["outcomes"] = outcomes;
  Json stages = Json::array();
  for (const auto& [key, count] : counts.stages)
    stages.push_back(
        {{"outcome", outcomeName(key.first)}, {"stage", stageName(key.second)}, {"count", count}});
  report["counts"]["not_passed_by_stage"] = stages;
  report["breakages"] = summary.breakages;
  report["unmatched_limitations"] = summary.unmatchedLimitations;
  Json suspects = Json::array();
  for (const Suspect& suspect : summary.suspects) suspects.push_back(jsonOfSuspect(suspect));
  report["suspects"] = suspects;
  report["accuracy"] = accuracyJson(summary.accuracy);
  Json pairs = Json::array();
  for (const ReplayedPair* pair : sortedPairs(summary)) pairs.push_back(jsonOfPair(*pair));
  report["pairs"] = pairs;
  Json skips = Json::array();
  for (const SkippedPair* skip : sortedSkips(summary))
    skips.push_back({{"name", skip->name}, {"artifact", skip->artifact}, {"build", skip->build},
                     {"platform", skip->platform}, {"mode", skip->mode}, {"reason", skip->reason}});
  report["skipped"] = skips;
  Json places = Json::array();
  for (const auto& [what, place] : summary.places)
    places.push_back({{"what", what}, {"path", place}});
  report["places"] = places;
  // Details come from consumers: bytes that are not UTF-8 are replaced.
  return report.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vintage::reports
