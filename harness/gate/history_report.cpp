#include "harness/gate/history.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/gate/gate_report.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

// Lists once what one rule says of several targets with the same day.
std::vector<Finding> groupedAlike(const std::vector<Finding>& findings) {
  std::vector<Finding> groups;
  for (const Finding& finding : findings) {
    const std::string sum = finding.legal ? finding.legal->sum : "";
    const auto alike = std::find_if(groups.begin(), groups.end(), [&](const Finding& group) {
      return group.rule == finding.rule && group.severity == finding.severity &&
             (group.legal ? group.legal->sum : "") == sum;
    });
    if (alike == groups.end()) {
      groups.push_back(finding);
      continue;
    }
    alike->instance += ", " + finding.instance;
    for (const ArtifactRecord& artifact : finding.artifacts)
      if (std::none_of(alike->artifacts.begin(), alike->artifacts.end(),
                       [&](const ArtifactRecord& known) { return known.name == artifact.name; }))
        alike->artifacts.push_back(artifact);
  }
  return groups;
}

std::string exportsMayBegin(const JudgedListChange& judged) {
  if (judged.change.added.empty()) return "";
  const LegalDate legal =
      after(judged.change.date, "listed", jaxPolicy().promise(Promise::kForward));
  std::string out =
      fmt::format("  exports may call what was added from {} = {}; their first day is not known\n",
                  formatDate(legal.date), legal.sum);
  const ArtifactRecord* first = nullptr;
  for (const Finding& note : judged.verdict.notes)
    for (const ArtifactRecord& artifact : note.artifacts)
      if (first == nullptr || artifact.buildDate < first->buildDate) first = &artifact;
  if (first != nullptr)
    out += fmt::format("    an artifact of {} calls it already: {}\n", formatDate(first->buildDate),
                       first->name);
  return out;
}

// How many changes ended how, and which rules found how much.
class HistoryTally {
 public:
  void add(const GateVerdict& verdict) {
    ++results_[verdict.result];
    std::string rule;
    for (const Finding& finding : verdict.findings) {
      rules_[finding.rule].first += finding.rule != rule;
      ++rules_[finding.rule].second;
      rule = finding.rule;
    }
  }
  std::string text(const char* what) const {
    size_t all = 0;
    for (const auto& [result, count] : results_) all += count;
    std::string out = fmt::format("\n{} {}: {} kept the rules, {} need review, {} broke them\n",
                                  all, what, of(GateResult::kAllowed), of(GateResult::kNeedsReview),
                                  of(GateResult::kForbidden));
    for (const auto& [rule, counts] : rules_)
      out += fmt::format("  {:<24} {} in {}\n", rule, counted(counts.second, "finding", "findings"),
                         counted(counts.first, "change", "changes"));
    return out;
  }
  json asJson() const {
    json out = json::object();
    for (const auto& [result, count] : results_) out[gateResultName(result)] = count;
    return out;
  }

 private:
  size_t of(GateResult result) const {
    const auto found = results_.find(result);
    return found == results_.end() ? 0 : found->second;
  }
  std::map<GateResult, size_t> results_;
  std::map<std::string, std::pair<size_t, size_t>> rules_;  // Changes, findings.
};

std::string legalLine(const GateVerdict& verdict) {
  if (!verdict.legal) return "";
  return fmt::format("  the whole change is legal from {} = {}\n", formatDate(verdict.legal->date),
                     verdict.legal->sum);
}

std::string findingLines(const GateVerdict& verdict, size_t longest) {
  std::string out;
  for (const Finding& group : groupedAlike(verdict.findings))
    out += "  " + findingHeading(group) + findingText(group, longest, "      ");
  return out;
}

std::string listText(const std::vector<JudgedListChange>& history, size_t longest) {
  std::string out;
  HistoryTally tally;
  for (const JudgedListChange& judged : history) {
    const GateVerdict& verdict = judged.verdict;
    tally.add(verdict);
    out += fmt::format("{}  {}  {:<12}  +{} -{}  {}\n", formatDate(judged.change.date),
                       judged.change.commit, gateResultName(verdict.result),
                       judged.change.added.size(), judged.change.removed.size(),
                       judged.change.subject);
    out += legalLine(verdict) + findingLines(verdict, longest) + exportsMayBegin(judged);
  }
  return out + tally.text("changes");
}

std::string versionsText(const std::vector<JudgedVersionChange>& history, size_t longest) {
  std::string out;
  HistoryTally tally;
  for (const JudgedVersionChange& judged : history) {
    tally.add(judged.verdict);
    out += fmt::format("{}  {:<12}  {} ({})\n", formatDate(judged.date),
                       gateResultName(judged.verdict.result), judged.what, judged.source);
    out += legalLine(judged.verdict) + findingLines(judged.verdict, longest);
    for (const Finding& note : judged.verdict.notes) out += "  not judged: " + note.message + "\n";
  }
  return out + tally.text("changes of versions");
}

}  // namespace

std::string historyText(const JudgedHistory& history, size_t longest) {
  std::string out;
  if (!history.list.empty()) out += listText(history.list, longest);
  if (!history.list.empty() && !history.versions.empty()) out += "\n";
  if (!history.versions.empty()) out += versionsText(history.versions, longest);
  return out;
}

json historyJson(const JudgedHistory& history) {
  json changes = json::array(), versions = json::array();
  HistoryTally listed, numbered;
  for (const JudgedListChange& judged : history.list) {
    json line = verdictJson(judged.verdict);
    line["commit"] = judged.change.commit;
    line["date"] = formatDate(judged.change.date);
    line["subject"] = judged.change.subject;
    line["added"] = judged.change.added;
    line["removed"] = judged.change.removed;
    listed.add(judged.verdict);
    changes.push_back(std::move(line));
  }
  for (const JudgedVersionChange& judged : history.versions) {
    json line = verdictJson(judged.verdict);
    line["date"] = formatDate(judged.date);
    line["what"] = judged.what;
    line["source"] = judged.source;
    numbered.add(judged.verdict);
    versions.push_back(std::move(line));
  }
  return {{"format", "vintage gate history"},     {"version", 1},
          {"results", listed.asJson()},           {"changes", changes},
          {"version_results", numbered.asJson()}, {"version_changes", versions}};
}

}  // namespace vintage::harness
