#include "reports/run_report_parts.h"

#include <algorithm>
#include <map>
#include <tuple>

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

std::string noSuspectText(const RunSummary& summary) {
  const auto fails = [](const Pair& pair) { return pair.cell == Cell::kFail; };
  if (!summary.suspects.empty() || std::ranges::none_of(summary.pairs, fails)) return "";
  return "nothing points to one operation: for none do artifacts without it pass significantly "
         "more often";
}

}  // namespace vintage::reports
