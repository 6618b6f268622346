#include "reports/run_report.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/failure_cause.h"
#include "reports/speed_report.h"

namespace vintage::reports {
using namespace archive;

namespace {

constexpr std::pair<Cell, const char*> kTold[] = {
    {Cell::kFail, "FAILED"},
    {Cell::kRunnerError, "RUNNER ERROR"},
    {Cell::kUnexpectedPass, "UNEXPECTED PASS"},
    {Cell::kPermitted, "DIFFERS WHERE IT MAY"},
    {Cell::kNotComparable, "NOT COMPARABLE"},
};

std::string tellPair(const Pair& pair, const char* heading) {
  const ArtifactRecord& artifact = *pair.artifact;
  const OutcomeRecord& outcome = pair.outcome;
  std::string text = fmt::format("{} {}\n", heading, artifact.name);
  text += fmt::format("  artifact {} of {} ({})\n", artifact.id.substr(0, 12), artifact.producer,
                      formatDate(artifact.buildDate));
  text += fmt::format("  on {} ({}), {} {}{}\n", outcome.build, formatDate(pair.consumerDate),
                      outcome.platform, outcome.mode,
                      pair.promise.empty() ? "" : fmt::format("; promise: {}", pair.promise));
  if (pair.cell == Cell::kPermitted)
    text += fmt::format("  passed; {}\n", shortDetail(outcome.detail));
  else if (pair.cell == Cell::kNotComparable)
    text += fmt::format("  {}\n", shortDetail(outcome.detail));
  else if (isSuccess(outcome.outcome))
    text +=
        fmt::format("  passed although limitation {} says that it fails: delete the limitation\n",
                    outcome.limitation);
  else
    text += fmt::format(
        "  {} in stage {}: {}\n", outcomeName(outcome.outcome), stageName(outcome.stage),
        outcome.detail.empty() ? "no detail was recorded" : shortDetail(outcome.detail));
  if (const auto failure = failureClassOf(outcome))
    text += fmt::format("  class: {}\n", failureClassName(*failure));
  if (!pair.command.empty()) text += fmt::format("  again: {}\n", pair.command);
  return text;
}

std::string tellScope(const RunSummary& summary) {
  std::string text;
  const RunScope& scope = summary.scope;
  if (!scope.text.empty()) text += fmt::format("scope: {}\n", scope.text);
  for (const Unjudged& one : scope.leftOut)
    text += fmt::format("out of scope: {}\n", unjudgedText(one));
  for (const MissingPart& one : scope.missing)
    text += fmt::format("MISSING {}{}\n", unjudgedText(one.part),
                        one.promise.empty() ? "" : fmt::format("; promise: {}", one.promise));
  return text;
}

std::string tellPromise(const RunSummary& summary, const std::string& promise) {
  std::string text =
      fmt::format("promise {}: {}", promise, verdictName(verdictOf(summary, promise)));
  for (const SameProgram& same : summary.scope.samePrograms)
    if (same.promise == promise)
      text += fmt::format(" ({} build{} of its window {} the same program as {})", same.builds,
                          same.builds == 1 ? "" : "s", same.builds == 1 ? "is" : "are", same.build);
  return text + "\n";
}

std::string tellSuspect(const Suspect& suspect) {
  return fmt::format(
      "SUSPECT {}: {} of the {} artifacts that hold it fail (by chance: p = {:.1g}); look at {} "
      "first, the smallest is {}\n",
      suspect.operation, suspect.failing, suspect.holding, suspect.chance,
      suspect.primitives.empty() ? "the smallest program"
                                 : fmt::format("{}", fmt::join(suspect.primitives, ", ")),
      suspect.simplest);
}

}  // namespace

std::string noSuspectText(const RunSummary& summary) {
  const auto fails = [](const Pair& pair) { return pair.cell == Cell::kFail; };
  if (!summary.suspects.empty() || std::ranges::none_of(summary.pairs, fails)) return "";
  return "no single operation explains the failures: for none do artifacts without it pass "
         "significantly more often";
}

std::string phasesText(std::span<const RunPhase> phases) {
  std::string text;
  for (const RunPhase& phase : phases) {
    text += fmt::format("{}{} {:.1f} s", text.empty() ? "" : "; ", phase.name, phase.wallSeconds);
    for (size_t i = 0; i < phase.parts.size(); ++i)
      text += fmt::format("{}{} {:.1f} s", i == 0 ? " (busy: " : ", ", phase.parts[i].name,
                          phase.parts[i].busySeconds);
    if (!phase.parts.empty()) text += ")";
  }
  return text;
}

std::vector<const Pair*> sortedPairs(const RunSummary& summary) {
  std::vector<const Pair*> pairs;
  for (const Pair& pair : summary.pairs) pairs.push_back(&pair);
  return sortedPairs(std::move(pairs));
}

std::vector<const Pair*> sortedPairs(std::vector<const Pair*> pairs) {
  // Nearly all pairs of a run are in one group, whose key is long.
  using Group = std::tuple<std::string_view, std::string_view, std::string_view, Date>;
  const auto groupOf = [](const Pair& pair) {
    const OutcomeRecord& outcome = pair.outcome;
    return Group(outcome.build, outcome.platform, outcome.mode, pair.artifact->buildDate);
  };
  std::map<Group, std::vector<const Pair*>> groups;
  auto last = groups.end();
  for (const Pair* pair : pairs) {
    if (last == groups.end() || last->first != groupOf(*pair))
      last = groups.try_emplace(groupOf(*pair)).first;
    last->second.push_back(pair);
  }
  pairs.clear();
  for (auto& [key, group] : groups) {
    std::ranges::sort(group, {}, [](const Pair* pair) {
      const ArtifactRecord& artifact = *pair->artifact;
      return std::tie(artifact.name, artifact.producer, artifact.id, pair->outcome.detail);
    });
    pairs.insert(pairs.end(), group.begin(), group.end());
  }
  return pairs;
}

std::vector<const Pair*> sortedSkips(const RunSummary& summary) {
  std::vector<const Pair*> skips;
  for (const Pair& skip : summary.skipped) skips.push_back(&skip);
  std::ranges::sort(skips, {}, [](const Pair* skip) {
    const OutcomeRecord& outcome = skip->outcome;
    return std::tie(outcome.detail, outcome.build, outcome.platform, outcome.mode,
                    skip->artifact->name, skip->artifact->id);
  });
  return skips;
}

std::string runReportText(const RunSummary& summary, size_t longest) {
  const RunCounts counts = countPairs(summary);
  const Conclusion conclusion = conclusionOf(summary, counts);
  std::string text;
  size_t listed = 0, omitted = 0;
  for (const auto& [cell, heading] : kTold) {
    std::vector<const Pair*> inCell;
    for (const Pair& pair : summary.pairs)
      if (pair.cell == cell) inCell.push_back(&pair);
    for (const Cause& cause : causesOf(sortedPairs(std::move(inCell)))) {
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
  const auto section = [&text](const auto& list, const auto& lineOf) {
    for (const auto& one : list) text += lineOf(one);
    if (!list.empty()) text += "\n";
  };
  section(summary.breakages,
          [](const std::string& what) { return fmt::format("BROKE {}\n", what); });
  section(summary.unmatchedLimitations, [](const std::string& limitation) {
    return fmt::format(
        "UNMATCHED limitation {}: it covers nothing that was chosen; delete or correct it\n",
        limitation);
  });
  section(summary.needlessLimitations,
          [](const std::string& what) { return fmt::format("LIMITATION {}\n", what); });
  section(summary.suspects, tellSuspect);
  if (const std::string none = noSuspectText(summary); !none.empty())
    text += fmt::format("NO SUSPECT: {}\n\n", none);

  std::map<std::string_view, int64_t> skipped;  // By the reason.
  for (const Pair& skip : summary.skipped) ++skipped[skip.outcome.detail];
  for (const auto& [reason, count] : skipped)
    text += fmt::format("skipped {}: {}\n", count, reason);

  text += fmt::format("run {} of {}{}\n", summary.run.id, formatDate(summary.today),
                      summary.run.label.empty() ? "" : ", label " + summary.run.label);
  text += fmt::format("ran {} pair{} in {:.1f} s", summary.pairs.size(),
                      summary.pairs.size() == 1 ? "" : "s", summary.seconds);
  const std::string cells = cellsText(counts.tally);
  text += fmt::format("{}{}\n", cells.empty() ? "" : ", ", cells);
  if (!summary.phases.empty()) text += fmt::format("phases: {}\n", phasesText(summary.phases));
  for (const auto& [key, count] : counts.stages)
    text +=
        fmt::format("  {} in stage {}: {}\n", outcomeName(key.first), stageName(key.second), count);
  for (const auto& [failure, count] : counts.failures)
    text += fmt::format("  class {}: {}\n", failureClassName(failure), count);
  text += tellScope(summary);
  for (const std::string& promise : promisesOf(summary)) text += tellPromise(summary, promise);
  if (summary.speed) text += speedText(*summary.speed, longest);
  for (const auto& [what, place] : summary.places) text += fmt::format("{}: {}\n", what, place);
  text +=
      fmt::format("verdict: {}: {}\n", verdictName(conclusion.verdict), conclusion.reasons.front());
  return text;
}

}  // namespace vintage::reports
