#include "harness/judge/tables/target_table.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

using nlohmann::json;

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
  std::vector<std::string> texts;
  for (const auto& [platform, count] : asked)
    texts.push_back(fmt::format("{} of {}", platform, count));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

std::string targetTableText(const std::vector<TargetLife>& lives) {
  std::vector<std::vector<std::string>> lines{kHeading};
  for (const TargetLife& life : lives) lines.push_back(rowOf(life));
  return textTable(lines);
}

std::string targetTablePage(const std::vector<TargetLife>& lives,
                            const std::vector<RuntimeDescription>& releases) {
  MarkdownTable table(kHeading);
  for (const TargetLife& life : lives) table.addRow(rowOf(life));
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
