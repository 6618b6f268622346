#include "reports/run_report_parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

namespace vintage::reports {
namespace {

int64_t missingParts(const RunSummary& summary) {
  return static_cast<int64_t>(summary.missing.size()) +
         std::ranges::count(summary.skipped, false, &SkippedPair::declared);
}

}  // namespace

Cell cellOf(const ReplayedPair& pair) { return judge(pair.outcome, !pair.limitation.empty()); }

std::vector<const ReplayedPair*> sortedPairs(const RunSummary& summary) {
  std::vector<const ReplayedPair*> pairs;
  for (const ReplayedPair& pair : summary.pairs) pairs.push_back(&pair);
  return sortedPairs(std::move(pairs));
}

std::vector<const ReplayedPair*> sortedPairs(std::vector<const ReplayedPair*> pairs) {
  // Nearly all of a run are of one group, whose key is long.
  using Group = std::tuple<std::string_view, std::string_view, std::string_view, Date>;
  const auto groupOf = [](const ReplayedPair& pair) {
    return Group(pair.build, pair.platform, pair.mode, pair.artifactBuildDate);
  };
  std::map<Group, std::vector<const ReplayedPair*>> groups;
  auto last = groups.end();
  for (const ReplayedPair* pair : pairs) {
    if (last == groups.end() || last->first != groupOf(*pair))
      last = groups.try_emplace(groupOf(*pair)).first;
    last->second.push_back(pair);
  }
  pairs.clear();
  for (auto& [key, group] : groups) {
    std::ranges::sort(group, {}, [](const ReplayedPair* pair) {
      return std::tie(pair->name, pair->producer, pair->artifact, pair->detail);
    });
    pairs.insert(pairs.end(), group.begin(), group.end());
  }
  return pairs;
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

std::vector<std::string> promisesOf(const RunSummary& summary) {
  std::set<std::string> promises(summary.judgedPromises.begin(), summary.judgedPromises.end());
  for (const ReplayedPair& pair : summary.pairs)
    if (!pair.promise.empty()) promises.insert(pair.promise);
  return {promises.begin(), promises.end()};
}

std::string explanation(const RunSummary& summary, const RunCounts& counts, Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return fmt::format("each of {} pairs that ran passed or failed as declared", counts.ran);
    case Verdict::kCompiles:
      return fmt::format("{} of {} pairs were compiled and not run; none fails undeclared",
                         counts[Cell::kCompiled], counts.ran);
    case Verdict::kBroken:
      return fmt::format("{} of {} pairs fail, and no declared limitation covers them",
                         counts[Cell::kFail], counts.ran);
    case Verdict::kNothingPassed:
      return fmt::format("{} pairs ran, and not one of them passed: look for one cause",
                         counts.ran);
    case Verdict::kNothingRan:
      return fmt::format(
          "no pair in scope ran ({} were skipped): check the filters, the window and the "
          "archive",
          summary.skipped.size());
    case Verdict::kCannotTell:
      return fmt::format(
          "{} part{} of the scope missing or not run, {} breakage{} of the run, {} runner error{}",
          missingParts(summary), missingParts(summary) == 1 ? "" : "s", summary.breakages.size(),
          summary.breakages.size() == 1 ? "" : "s", counts[Cell::kRunnerError],
          counts[Cell::kRunnerError] == 1 ? "" : "s");
  }
  return {};
}

}  // namespace vintage::reports
