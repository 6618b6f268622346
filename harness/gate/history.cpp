#include "harness/gate/history.h"

#include <utility>

#include <fmt/format.h>

#include "archive/records/custom_call_targets.h"
#include "golden/base/failures.h"
#include "golden/base/strict_json.h"
#include "harness/gate/gate_report.h"

namespace vintage::harness {
using namespace archive;

namespace {

using nlohmann::json;

using List = std::map<std::string, Date>;  // Targets, with the day since which each is listed.

RuntimeDescription describe(const std::string& name, Date built, const List& list) {
  RuntimeDescription out;
  out.name = name;
  out.buildDate = built;
  for (const auto& [target, since] : list) {
    RegisteredTarget registered;
    registered.name = target;
    registered.since = since;
    registered.replaces = replacedTargets(target);
    out.targets.push_back(std::move(registered));
    out.stableTargets.push_back({target, since});
  }
  return out;
}

std::string exportsMayBegin(const JudgedListChange& judged) {
  if (judged.change.added.empty()) return "";
  const LegalDate legal =
      after(judged.change.date, "listed", jaxPolicy().promise(Promise::kForward));
  std::string out = fmt::format(
      "  exports may call the new targets from {}; their first day is not known\n", legal.text());
  const ArtifactRecord* first = nullptr;
  for (const Finding& note : judged.verdict.notes)
    for (const ArtifactRecord& artifact : note.artifacts)
      if (first == nullptr || artifact.buildDate < first->buildDate) first = &artifact;
  if (first != nullptr)
    out += fmt::format("    an artifact of {} calls it already: {}\n", formatDate(first->buildDate),
                       first->name);
  return out;
}

// Counts changes by result, and findings by rule.
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
  // "3 changes of versions: …"
  std::string text(const char* noun, const char* of = "") {
    size_t all = 0;
    for (const auto& [result, count] : results_) all += count;
    std::string out = fmt::format(
        "{}{}: {} kept the rules, {} need{} review, {} broke them\n", counted(all, noun), of,
        results_[GateResult::kAllowed], results_[GateResult::kNeedsReview],
        results_[GateResult::kNeedsReview] == 1 ? "s" : "", results_[GateResult::kForbidden]);
    for (const auto& [rule, counts] : rules_)
      out += fmt::format("  {:<24} {} in {}\n", rule, counted(counts.second, "finding"),
                         counted(counts.first, "change"));
    return out;
  }
  json asJson() const {
    json out = json::object();
    for (const auto& [result, count] : results_) out[gateResultName(result)] = count;
    return out;
  }

 private:
  std::map<GateResult, size_t> results_;
  std::map<std::string, std::pair<size_t, size_t>> rules_;  // Changes, findings.
};

// Merges findings of one rule about several targets with the same day.
std::string verdictLines(const GateVerdict& verdict, size_t longest) {
  std::string out;
  if (verdict.legal)
    out = fmt::format("  the whole change is legal from {}\n", verdict.legal->text());
  const auto sumOf = [](const Finding& one) { return one.legal ? one.legal->sum : ""; };
  const auto alike = [&](const Finding& group, const Finding& finding) {
    return group.rule == finding.rule && group.severity == finding.severity &&
           sumOf(group) == sumOf(finding);
  };
  for (const Finding& group : groupedFindings(verdict.findings, alike, &ArtifactRecord::name))
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
    out += verdictLines(verdict, longest) + exportsMayBegin(judged);
  }
  return out + (out.empty() ? "" : "\n") + tally.text("change");
}

std::string versionsText(const std::vector<JudgedVersionChange>& history, size_t longest) {
  std::string out;
  HistoryTally tally;
  for (const JudgedVersionChange& judged : history) {
    tally.add(judged.verdict);
    out += fmt::format("{}  {:<12}  {} ({})\n", formatDate(judged.date),
                       gateResultName(judged.verdict.result), judged.what, judged.source);
    out += verdictLines(judged.verdict, longest);
    for (const Finding& note : judged.verdict.notes) out += "  not judged: " + note.message + "\n";
  }
  return out + (out.empty() ? "" : "\n") + tally.text("change", " of versions");
}

}  // namespace

Result<std::vector<ListChange>> parseListHistory(std::string_view text, std::string_view name) {
  if (!json::accept(text))
    return badInput("{}: this is not JSON (docs/gate/history.md has an example)", name);
  const json document = json::parse(text);
  Status status;
  std::string source;
  std::vector<ListChange> out;
  List list;
  JsonObject read(document, "", status);
  read.optional("source", source);
  read.list("changes", [&](const json& element, const std::string& place) {
    ListChange change;
    JsonObject line(element, place, status);
    line.required("commit", change.commit);
    line.required("date", change.date);
    line.optional("subject", change.subject);
    line.optional("added", change.added);
    line.optional("removed", change.removed);
    line.finish();
    if (!out.empty() && change.date < out.back().date)
      line.fail(place,
                fmt::format("the change of {} stands after one of {}; put them in order of time",
                            formatDate(change.date), formatDate(out.back().date)));
    for (const std::string& target : change.removed)
      if (list.erase(target) == 0)
        line.fail(place, fmt::format("'{}' is removed and was not listed", target));
    for (const std::string& target : change.added)
      if (!list.emplace(target, change.date).second)
        line.fail(place, fmt::format("'{}' is added and was listed already", target));
    out.push_back(std::move(change));
  });
  read.finish();
  if (!status) return within(std::string(name), status.error());
  if (out.empty()) return badInput("{}: it holds no changes", name);
  return out;
}

Result<std::vector<JudgedListChange>> judgeHistory(const std::vector<ListChange>& changes,
                                                   const std::vector<RuntimeDescription>& builds,
                                                   ArchivedFacts& archive) {
  std::vector<JudgedListChange> out;
  List list;
  Date previous = changes.empty() ? Date{} : changes.front().date;
  for (const ListChange& listChange : changes) {
    Change change;
    change.today = listChange.date;
    change.builds = builds;
    change.archive = &archive;
    change.hindsight = true;
    change.before = describe("the list before " + listChange.commit, previous, list);
    for (const std::string& target : listChange.removed) list.erase(target);
    for (const std::string& target : listChange.added) list[target] = listChange.date;
    change.after = describe("the list of " + listChange.commit, listChange.date, list);
    // The record begins there: targets of the first change existed before.
    if (out.empty()) change.before.targets = change.after.targets;
    ASSIGN_OR_RETURN(auto verdict, within(listChange.commit, judge(change, {})));
    // A list never has outcomes to replay; no note about that.
    std::erase_if(verdict.notes,
                  [](const Finding& note) { return note.rule == "golden-not-reproduced"; });
    out.push_back({listChange, std::move(verdict)});
    previous = listChange.date;
  }
  return out;
}

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
