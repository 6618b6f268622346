#include "reports/run_report_parts.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace vintage::reports {
using namespace archive;

std::vector<const Pair*> sortedPairs(const RunSummary& summary) {
  std::vector<const Pair*> pairs;
  for (const Pair& pair : summary.pairs) pairs.push_back(&pair);
  return sortedPairs(std::move(pairs));
}

std::vector<const Pair*> sortedPairs(std::vector<const Pair*> pairs) {
  // Nearly all of a run are of one group, whose key is long.
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

std::string explanation(const RunSummary& summary, const RunCounts& counts, Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return fmt::format(
          "each of {} pairs that ran passed or failed as declared{}", summary.pairs.size(),
          counts.tally[Cell::kUnexpectedPass] == 0
              ? ""
              : fmt::format("; {} passed although a limitation says that they fail",
                            counts.tally[Cell::kUnexpectedPass]));
    case Verdict::kCompiles:
      return fmt::format("{} of {} pairs were compiled and not run; none fails undeclared",
                         counts.tally[Cell::kCompiled], summary.pairs.size());
    case Verdict::kBroken:
      return fmt::format("{} of {} pairs fail, and no declared limitation covers them",
                         counts.tally[Cell::kFail], summary.pairs.size());
    case Verdict::kNothingPassed:
      return fmt::format("{} pairs ran, and not one of them passed: look for one cause",
                         summary.pairs.size());
    case Verdict::kNothingRan:
      return fmt::format(
          "no pair in scope ran ({} were skipped): check the filters, the window and the "
          "archive",
          summary.skipped.size());
    case Verdict::kCannotTell:
      return fmt::format(
          "{} part{} of the scope missing or not run, {} breakage{} of the run, {} runner error{}",
          missingParts(summary), missingParts(summary) == 1 ? "" : "s", summary.breakages.size(),
          summary.breakages.size() == 1 ? "" : "s", counts.tally[Cell::kRunnerError],
          counts.tally[Cell::kRunnerError] == 1 ? "" : "s");
  }
  return {};
}

}  // namespace vintage::reports
