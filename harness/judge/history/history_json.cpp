#include "harness/judge/history/history.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

json versionsJson(const History& history, const std::set<size_t>& indices) {
  json list = json::array();
  for (size_t index : indices) list.push_back(history.releases[index].version);
  return list;
}

json days(const std::optional<int64_t>& days) { return days ? json(*days) : json(nullptr); }

json reachJson(const Reach& reach) {
  return {{"all", days(reach.allPass())}, {"any", days(reach.longestPass())}};
}

json breakJson(const History& history, const Break& found) {
  return {{"condition", found.condition},
          {"outcome", outcomeName(found.outcome)},
          {"stage", stageName(found.stage)},
          {"message", found.message},
          {"primitives", found.primitives},
          {"targets", found.targets},
          {"producers", versionsJson(history, found.producers)},
          {"consumers", versionsJson(history, found.consumers)},
          {"promises", found.promises},
          {"pairs", found.pairs},
          {"least_days", found.leastDays},
          {"most_days", found.mostDays},
          {"smallest",
           {{"artifact", found.smallest.id},
            {"name", found.smallest.name},
            {"bytes", found.smallest.bytes},
            {"producer", history.releases[found.smallestProducer].version},
            {"consumer", history.releases[found.smallestConsumer].version}}},
          {"issue", found.issue}};
}

}  // namespace

json toJson(const History& history) {
  json releases = json::array(), pairs = json::array(), reach = json::array();
  json breaks = json::array(), atHome = json::array();
  for (const HistoryRelease& release : history.releases)
    releases.push_back({{"version", release.version},
                        {"released", formatDate(release.released)},
                        {"python", release.python},
                        {"calling_convention", release.newestCallingConvention},
                        {"serialization", release.newestSerialization},
                        {"stablehlo", release.stablehloVersion},
                        {"artifacts", release.artifacts}});
  for (const auto& [key, pair] : history.pairs) {
    const auto [producer, consumer, fresh] = key;
    json failed = json::object();
    for (const auto& [kind, count] : pair.failed) failed[outcomeName(kind)] = count;
    pairs.push_back({{"producer", history.releases[producer].version},
                     {"consumer", history.releases[consumer].version},
                     {"condition", fresh ? "fresh" : "warm"},
                     {"pass", pair.passed},
                     {"differs_where_it_may", pair.differ},
                     {"not_comparable", pair.notComparable},
                     {"fail", std::move(failed)},
                     {"refused", pair.refused}});
  }
  for (const ReachOfPart& part : history.reach)
    reach.push_back({{"kind", part.kind},
                     {"name", part.name},
                     {"days_backward", reachJson(part.backward)},
                     {"days_forward", reachJson(part.forward)}});
  for (const Break& found : history.breaks) breaks.push_back(breakJson(history, found));
  for (const FailsAtHome& one : history.failsAtHome)
    atHome.push_back({{"name", one.name},
                      {"producer", one.producer},
                      {"outcome", outcomeName(one.outcome)},
                      {"message", one.message}});
  return {{"format", "vintage measured history"},
          {"version", 1},
          {"today", formatDate(history.today)},
          {"artifacts", history.artifacts},
          {"executions", history.executions},
          {"releases", std::move(releases)},
          {"pairs", std::move(pairs)},
          {"reach", std::move(reach)},
          {"breaks", std::move(breaks)},
          {"fails_on_its_own_release", std::move(atHome)}};
}

}  // namespace vintage::harness
