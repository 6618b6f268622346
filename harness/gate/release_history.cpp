#include "harness/gate/history.h"

#include <algorithm>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "harness/gate/gate_report.h"
#include "reports/text_table.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

std::vector<std::string> platformsNobodyAsked(const std::vector<RuntimeDescription>& releases) {
  std::set<std::string> unknown;
  for (const RuntimeDescription& release : releases)
    for (const LoweredCases& cases : release.emission.lowered)
      if (cases.lowered > 0) unknown.insert(cases.platform);
  for (const RuntimeDescription& release : releases)
    for (const std::string& platform : release.registries) unknown.erase(platform);
  return {unknown.begin(), unknown.end()};
}

using nlohmann::json;

constexpr size_t kListedArtifacts = 3;

// Merges findings that say the same about several targets.
std::vector<Finding> saidOnce(const std::vector<Finding>& findings) {
  return groupedFindings(
      findings,
      [](const Finding& group, const Finding& finding) {
        return group.rule == finding.rule && group.severity == finding.severity &&
               group.message == finding.message && group.consumers == finding.consumers;
      },
      &ArtifactRecord::id);
}

// The findings, and the notes that runs showed to break nothing.
std::vector<Finding> reported(const GateVerdict& verdict) {
  std::vector<Finding> all = verdict.findings;
  all.insert(all.end(), verdict.notes.begin(), verdict.notes.end());
  return all;
}

struct Tally {
  size_t findings = 0, confirmed = 0, contradicted = 0;
};

std::map<std::pair<std::string, std::string>, Tally> tally(const JudgedReleases& judged) {
  std::map<std::pair<std::string, std::string>, Tally> out;
  for (const JudgedRelease& step : judged.steps)
    for (const Finding& finding : reported(step.verdict)) {
      Tally& one = out[{finding.rule, gateResultName(finding.severity)}];
      const bool ranWell = isContradicted(finding);
      const bool isSaid = finding.severity == GateResult::kAllowed;  // Says that it runs.
      ++one.findings;
      one.confirmed += isConfirmed(finding) || (ranWell && isSaid);
      one.contradicted += ranWell && !isSaid;
    }
  return out;
}

std::string unknownText(const JudgedReleases& judged) {
  if (judged.unknownRegistries.empty()) return "";
  return fmt::format(
      "Not judged: whether runtimes for {} have the targets that exports for them call; the "
      "registry "
      "of no release here was queried.\n",
      fmt::join(judged.unknownRegistries, ", "));
}

std::string rangeText(const JudgedReleases& judged) {
  return fmt::format("{} releases, from {} of {} to {} of {}", judged.releases.size(),
                     judged.releases.front().name, formatDate(judged.releases.front().day()),
                     judged.releases.back().name, formatDate(judged.releases.back().day()));
}

std::vector<std::vector<std::string>> tallyTable(const JudgedReleases& judged) {
  std::vector<std::vector<std::string>> lines{
      {"rule", "result", "findings", "measured", "contradicted by a run", "computed only"}};
  for (const auto& [key, one] : tally(judged))
    lines.push_back({key.first, key.second, std::to_string(one.findings),
                     std::to_string(one.confirmed), std::to_string(one.contradicted),
                     std::to_string(one.findings - one.confirmed - one.contradicted)});
  return lines;
}

std::string pageOfFinding(const Finding& group) {
  const size_t targets = static_cast<size_t>(std::ranges::count(group.instance, ',')) + 1;
  std::string text = fmt::format("**[{}](rules.md#{})**, {}: `{}` ({}).\n\n{}", group.rule,
                                 group.rule, gateResultName(group.severity), group.instance,
                                 counted(targets, "target"), group.message);
  if (group.legal) text += fmt::format(" Earliest legal day: {}.", group.legal->text());
  if (!group.consumers.empty())
    text += fmt::format(" Breaks on: {}.", fmt::join(group.consumers, ", "));
  text += "\n\n";
  std::vector<std::vector<std::string>> lines;
  for (const RecordedRuns& one : group.measured)
    lines.push_back(
        {one.build,
         fmt::format(
             "{} of {} fail{}{}{}", one.failed, counted(one.ran, "run"), one.failed == 1 ? "s" : "",
             one.failed > 0 ? fmt::format("; `{}`: `{}`", one.artifact, one.message) : "",
             one.failsAtHome ? "; its own exports fail there too: this proves nothing" : "")});
  for (const auto& line : mergeRows(std::move(lines), 0))
    text += fmt::format("- measured on {}: {}\n", line[0], line[1]);
  return text + (group.measured.empty() ? "- computed only\n\n" : "\n");
}

}  // namespace

Result<JudgedReleases> judgeReleases(
    std::vector<RuntimeDescription> releases, ArchivedFacts& archive,
    const std::map<std::string, std::vector<std::string>>& registeredAs) {
  if (releases.size() < 2)
    return usageError(
        "facts of {} are known, and a comparison takes two; 'vintage builds describe BUILD "
        "--emitted' keeps those of a build",
        counted(releases.size(), "release"));
  sortByDate(releases);
  JudgedReleases judged;
  judged.unknownRegistries = platformsNobodyAsked(releases);
  for (size_t i = 1; i < releases.size(); ++i) {
    Change change;
    change.before = releases[i - 1];
    change.after = releases[i];
    change.today = change.after.day();
    change.builds = releases;
    change.archive = &archive;
    change.registeredAs = registeredAs;
    change.hindsight = true;
    change.goldensNeeded = false;
    ASSIGN_OR_RETURN(auto verdict, within(change.after.name, judge(change, {})));
    // A note about missing facts applies to one pair only; notes that runs decided are kept.
    std::erase_if(verdict.notes, [](const Finding& note) { return note.measured.empty(); });
    judged.steps.push_back(
        {change.before.name, change.after.name, change.today, std::move(verdict)});
  }
  judged.releases = std::move(releases);
  return judged;
}

std::string releasesText(const JudgedReleases& judged) {
  std::string out;
  for (const JudgedRelease& step : judged.steps) {
    out += fmt::format("{}  {} -> {}  {}\n", formatDate(step.day), step.before, step.after,
                       gateResultName(step.verdict.result));
    for (const Finding& group : saidOnce(reported(step.verdict))) {
      out += "  " + findingHeading(group) + findingText(group, kListedArtifacts, "      ");
      if (group.measured.empty()) out += "      computed only\n";
    }
  }
  out += "\n" + rangeText(judged) + "\n";
  const auto lines = tallyTable(judged);
  if (lines.size() > 1) out += textTable(lines);
  return out + unknownText(judged);
}

json releasesJson(const JudgedReleases& judged) {
  json steps = json::array();
  for (const JudgedRelease& step : judged.steps) {
    json line = verdictJson(step.verdict);
    line["before"] = step.before;
    line["after"] = step.after;
    line["date"] = formatDate(step.day);
    steps.push_back(std::move(line));
  }
  json rules = json::array();
  for (const auto& [key, one] : tally(judged))
    rules.push_back({{"rule", key.first},
                     {"severity", key.second},
                     {"findings", one.findings},
                     {"measured", one.confirmed},
                     {"contradicted", one.contradicted}});
  return {{"format", "vintage gate releases"},
          {"version", 1},
          {"result", gateResultName(judged.result())},
          {"steps", steps},
          {"rules", rules},
          {"unknown_registries", judged.unknownRegistries}};
}

std::string releasesPage(const JudgedReleases& judged, const std::string& command) {
  std::string page = fmt::format(
      "# The gate over releases\n\n<!-- written by: {} -->\n\n{}, each judged against the one "
      "before it by [facts](facts.md) of both: {}. Others are not known.\n\n",
      command, rangeText(judged),
      fmt::join(judged.releases | std::views::transform(&RuntimeDescription::version), ", "));
  const auto lines = tallyTable(judged);
  MarkdownTable table(lines.front());
  for (size_t i = 1; i < lines.size(); ++i) table.addRow(lines[i], "rules.md#" + lines[i].front());
  page += table.text() + "\n" + unknownText(judged);
  for (const JudgedRelease& step : judged.steps) {
    const auto groups = saidOnce(reported(step.verdict));
    if (groups.empty()) continue;
    if (!page.ends_with("\n\n")) page += "\n";
    page += fmt::format("## {} -> {} ({})\n\n", step.before, step.after, formatDate(step.day));
    for (const Finding& group : groups) page += pageOfFinding(group);
  }
  while (page.ends_with("\n\n")) page.pop_back();
  return page;
}

}  // namespace vintage::harness
