#include "harness/judge/tables/target_life.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "archive/records/custom_call_targets.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

using nlohmann::json;

using Key = std::pair<std::string, std::string>;  // Target, platform.

void extend(std::optional<Span>& span, Date day, const std::string& release) {
  const Span::End end{day, release};
  if (!span) {
    span = Span{end, end, false, false};
    return;
  }
  if (day < span->first.day) span->first = end;
  if (span->last.day < day) span->last = end;
}

// By the releases that were asked: what another one has is not known.
template <typename Asked>
void bound(std::optional<Span>& span, const std::vector<RuntimeDescription>& releases,
           Date (RuntimeDescription::*dayOf)() const, const Asked& asked) {
  if (!span) return;
  for (const RuntimeDescription& release : releases) {
    if (!asked(release)) continue;
    span->began |= (release.*dayOf)() < span->first.day;
    span->ended |= span->last.day < (release.*dayOf)();
  }
}

bool exportsFor(const RuntimeDescription& release, const std::string& platform) {
  return std::ranges::any_of(release.emission.lowered, [&](const LoweredCases& cases) {
    return cases.mode == kEmittedByDefault && cases.platform == platform && cases.lowered > 0;
  });
}

// "2024-10-04 to 2025-02-24"; an end that no known release shows is left open.
std::string spanText(const std::optional<Span>& span, const char* none) {
  if (!span) return none;
  const std::string first = formatDate(span->first.day), last = formatDate(span->last.day);
  if (!span->began && !span->ended) return "always";
  if (!span->began) return "to " + last;
  if (!span->ended) return "from " + first;
  return first == last ? "on " + first : first + " to " + last;
}

std::vector<std::string> rowOf(const TargetLife& life) {
  const char* noRegistration = life.ofCompiler      ? "of the compiler"
                               : life.registryKnown ? "never"
                                                    : "unknown";
  return {life.name, life.platform, spanText(life.registered, noRegistration),
          spanText(life.listed, "never"), spanText(life.emitted, "never")};
}

const std::vector<std::string> kHeading{"target", "platform", "registered", "listed",
                                        "emitted by default export"};

json spanJson(const std::optional<Span>& span) {
  if (!span) return nullptr;
  return {{"first", {{"day", formatDate(span->first.day)}, {"release", span->first.release}}},
          {"last", {{"day", formatDate(span->last.day)}, {"release", span->last.release}}},
          {"began", span->began},
          {"ended", span->ended}};
}

// "cpu of 19, cuda of 5"
std::string exportsAsked(const std::vector<RuntimeDescription>& releases) {
  std::map<std::string, size_t> asked;
  for (const RuntimeDescription& release : releases)
    for (const LoweredCases& cases : release.emission.lowered)
      asked[cases.platform] += cases.mode == kEmittedByDefault && cases.lowered > 0;
  const auto text = [](const auto& one) { return fmt::format("{} of {}", one.first, one.second); };
  return fmt::format("{}", fmt::join(asked | std::views::transform(text), ", "));
}

}  // namespace

std::vector<TargetLife> targetLives(const std::vector<RuntimeDescription>& releases) {
  std::map<Key, TargetLife> lives;
  std::map<std::string, std::set<std::string>> platformsOf;  // By target.
  std::set<std::string> asked;
  const auto life = [&](const std::string& name, const std::string& platform) -> TargetLife& {
    if (platform != "any") platformsOf[name].insert(platform);
    TargetLife& one = lives[{name, platform}];
    one.name = name;
    one.platform = platform;
    return one;
  };
  for (const RuntimeDescription& release : releases) {
    asked.insert(release.registries.begin(), release.registries.end());
    for (const RegisteredTarget& target : release.targets)
      extend(life(target.name, target.platform).registered, release.day(), release.name);
    for (const EmittedCall& call : release.emission.calls)
      if (call.mode == kEmittedByDefault)
        extend(life(call.name, call.platform).emitted, release.exporterDay(), release.name);
  }
  for (const RuntimeDescription& release : releases)
    for (const StableTarget& target : release.stableTargets) {
      const auto known = platformsOf.find(target.name);
      const std::set<std::string> platforms =
          known == platformsOf.end() ? std::set<std::string>{"any"} : known->second;
      for (const std::string& platform : platforms)
        extend(life(target.name, platform).listed, release.exporterDay(), release.name);
    }
  std::vector<TargetLife> out;
  for (auto& [key, one] : lives) {
    one.registryKnown = asked.contains(one.platform);
    one.ofCompiler = isKnownToCompiler(one.name);
    bound(one.registered, releases, &RuntimeDescription::day,
          [&](const RuntimeDescription& release) { return release.knowsRegistry(one.platform); });
    bound(one.listed, releases, &RuntimeDescription::exporterDay,
          [](const RuntimeDescription& release) { return !release.stableTargets.empty(); });
    bound(one.emitted, releases, &RuntimeDescription::exporterDay,
          [&](const RuntimeDescription& release) { return exportsFor(release, one.platform); });
    out.push_back(std::move(one));
  }
  return out;
}

std::string targetTableText(const std::vector<TargetLife>& lives) {
  std::vector<std::vector<std::string>> lines{kHeading};
  for (const TargetLife& life : lives) lines.push_back(rowOf(life));
  return textTable(lines);
}

std::string targetTablePage(const std::vector<TargetLife>& lives,
                            const std::vector<RuntimeDescription>& releases) {
  MarkdownTable table(kHeading);
  std::vector<std::vector<std::string>> rows;
  for (const TargetLife& life : lives) rows.push_back(rowOf(life));
  for (const auto& row : mergeRows(mergeRows(std::move(rows), 1), 0)) table.addRow(row);
  std::string page =
      "# Custom-call targets of releases\n\n<!-- written by: vintage tables --targets -->\n\n";
  if (!releases.empty()) {
    const auto [oldest, newest] = std::ranges::minmax(releases, {}, &RuntimeDescription::day);
    page += fmt::format(
        "Of {} releases, from {} of {} to {} of {}. *Registered* counts by the days of runtimes, "
        "the rest by those of exporters; *unknown*: no release was asked what it registers "
        "there. Exports were tried for {}.\n\n",
        releases.size(), oldest.name, formatDate(oldest.day()), newest.name,
        formatDate(newest.day()), exportsAsked(releases));
  }
  return page + table.text();
}

json targetTableJson(const std::vector<TargetLife>& lives) {
  json list = json::array();
  for (const TargetLife& life : lives)
    list.push_back({{"name", life.name},
                    {"platform", life.platform},
                    {"registry_known", life.registryKnown},
                    {"of_compiler", life.ofCompiler},
                    {"registered", spanJson(life.registered)},
                    {"listed", spanJson(life.listed)},
                    {"emitted", spanJson(life.emitted)}});
  return {{"format", "vintage target table"}, {"version", 1}, {"targets", list}};
}

}  // namespace vintage::harness
