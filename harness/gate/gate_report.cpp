#include "harness/gate/gate_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/own_program.h"
#include "reports/speed_report.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

using nlohmann::json;

json legalJson(const std::optional<LegalDate>& legal) {
  if (!legal) return nullptr;
  return {{"date", formatDate(legal->date)}, {"sum", legal->sum}};
}

json findingJson(const Finding& finding) {
  json artifacts = json::array();
  for (const ArtifactRecord& artifact : finding.artifacts)
    artifacts.push_back({{"id", artifact.id},
                         {"name", artifact.name},
                         {"producer", artifact.producer},
                         {"build_date", formatDate(artifact.buildDate)}});
  json measured = json::array();
  for (const RecordedRuns& one : finding.measured)
    measured.push_back({{"build", one.build},
                        {"ran", one.ran},
                        {"failed", one.failed},
                        {"fails_at_home", one.failsAtHome},
                        {"artifact", one.artifact},
                        {"message", one.message}});
  const Rule* rule = findRule(finding.rule);
  return {{"rule", finding.rule},
          {"instance", finding.instance},
          {"change", finding.change},
          {"severity", gateResultName(finding.severity)},
          {"message", finding.message},
          {"earliest_legal_date", legalJson(finding.legal)},
          {"artifacts", artifacts},
          {"consumers", finding.consumers},
          {"still_runs_on", finding.stillRunsOn},
          {"measured", measured},
          {"waiver", finding.waiver},
          {"page", rule != nullptr ? rule->page() : ""}};
}

std::string calendarText(const std::vector<CalendarEntry>& calendar, Date today) {
  std::string out;
  for (const CalendarEntry& entry : calendar) {
    const char* mark = !entry.date ? " " : *entry.date <= today ? "x" : " ";
    out += fmt::format("  [{}] {}  {}: {}{}\n", mark,
                       entry.date ? formatDate(*entry.date) : "later     ", entry.subject,
                       entry.what, entry.sum.empty() ? "" : " = " + entry.sum);
  }
  return out;
}

std::string resultLine(const GateVerdict& verdict) {
  const size_t forbidden = verdict.count(GateResult::kForbidden),
               review = verdict.count(GateResult::kNeedsReview);
  const size_t waived = verdict.findings.size() - forbidden - review;
  std::string out = fmt::format("result: {}", gateResultName(verdict.result));
  if (!verdict.findings.empty())
    out += fmt::format(" ({} forbid{} it, {} to review, {} waived)", counted(forbidden, "finding"),
                       forbidden == 1 ? "s" : "", counted(review, "finding"), waived);
  out += "\n";
  if (verdict.result == GateResult::kForbidden)
    out += verdict.legal
               ? fmt::format("earliest legal date of the whole change: {}\n", verdict.legal->text())
               : std::string(
                     "earliest legal date of the whole change: none; waiting does not make it "
                     "legal\n");
  return out;
}

RuleReport::Level levelOf(GateResult severity) {
  using enum RuleReport::Level;
  constexpr RuleReport::Level kLevels[] = {kNote, kWarning, kError};
  return kLevels[static_cast<size_t>(severity)];
}

}  // namespace

std::string findingText(const Finding& finding, size_t longest, const std::string& indent) {
  std::string out = indent + finding.message + "\n";
  if (finding.legal)
    out += fmt::format("{}earliest legal date: {}\n", indent, finding.legal->text());
  else if (finding.severity == GateResult::kForbidden)
    out += indent + "earliest legal date: none; waiting does not make it legal\n";
  if (!finding.artifacts.empty()) {
    out += fmt::format("{}{} {}:\n", indent,
                       finding.stillRunsOn.empty() ? "breaks" : "still called by",
                       counted(finding.artifacts.size(), "artifact"));
    // The newest ones decide the date.
    const size_t first =
        finding.artifacts.size() > longest ? finding.artifacts.size() - longest : 0;
    if (first > 0) out += fmt::format("{}  … and {} older\n", indent, first);
    for (size_t i = first; i < finding.artifacts.size(); ++i) {
      const ArtifactRecord& artifact = finding.artifacts[i];
      out += fmt::format("{}  {}  {}  {}\n", indent, formatDate(artifact.buildDate),
                         artifact.id.substr(0, 12), artifact.name);
    }
  }
  for (size_t i = 0; i < finding.consumers.size() && i < longest; ++i)
    out += fmt::format("{}breaks the consumer {}\n", indent, finding.consumers[i]);
  if (finding.consumers.size() > longest)
    out += fmt::format("{}… and {} more\n", indent,
                       counted(finding.consumers.size() - longest, "consumer"));
  out += measuredText(finding, indent);
  if (!finding.waiver.empty()) out += fmt::format("{}waived: {}\n", indent, finding.waiver);
  return out;
}

std::vector<Finding> groupedFindings(
    const std::vector<Finding>& findings,
    const std::function<bool(const Finding& group, const Finding& finding)>& alike,
    std::string ArtifactRecord::* key) {
  std::vector<Finding> groups;
  for (const Finding& finding : findings) {
    const auto group =
        std::ranges::find_if(groups, [&](const Finding& one) { return alike(one, finding); });
    if (group == groups.end()) {
      groups.push_back(finding);
      continue;
    }
    group->instance += ", " + finding.instance;
    for (const ArtifactRecord& artifact : finding.artifacts)
      if (std::ranges::find(group->artifacts, artifact.*key, key) == group->artifacts.end())
        group->artifacts.push_back(artifact);
    for (const RecordedRuns& one : finding.measured) {
      const auto known = std::ranges::find(group->measured, one.build, &RecordedRuns::build);
      if (known == group->measured.end()) {
        group->measured.push_back(one);
        continue;
      }
      known->ran += one.ran;
      known->failed += one.failed;
      known->failsAtHome |= one.failsAtHome;
      if (known->message.empty()) {
        known->artifact = one.artifact;
        known->message = one.message;
      }
    }
  }
  return groups;
}

std::string findingHeading(const Finding& finding) {
  return fmt::format("{:<12}  {}  {}\n",
                     finding.waiver.empty() ? gateResultName(finding.severity) : "waived",
                     finding.rule, finding.instance);
}

json verdictJson(const GateVerdict& verdict) {
  json findings = json::array(), notes = json::array(), calendar = json::array();
  for (const Finding& finding : verdict.findings) findings.push_back(findingJson(finding));
  for (const Finding& note : verdict.notes)
    notes.push_back({{"rule", note.rule}, {"instance", note.instance}, {"message", note.message}});
  for (const CalendarEntry& entry : verdict.calendar)
    calendar.push_back({{"date", entry.date ? json(formatDate(*entry.date)) : json(nullptr)},
                        {"subject", entry.subject},
                        {"what", entry.what},
                        {"sum", entry.sum}});
  return {{"result", gateResultName(verdict.result)},
          {"earliest_legal_date", legalJson(verdict.legal)},
          {"findings", findings},
          {"not_judged", notes},
          {"calendar", calendar}};
}

int lineOf(std::string_view text, std::string_view anchor) {
  if (anchor.empty()) return 0;
  const size_t at =
      text.find(json(std::string(anchor)).dump(-1, ' ', false, json::error_handler_t::replace));
  if (at == std::string_view::npos) return 0;
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string ruleIndex() {
  std::string out =
      "# Rules of the gate\n\n"
      "`vintage gate` compares two descriptions of a runtime ([registry](registry.md)) and judges\n"
      "the change by these rules, as of a day. A finding forbids the change or asks for review;\n"
      "[waivers](waivers.md) accept one for a while.\n\n"
      "Where both descriptions have the facts of their exports ([facts](facts.md)), the rules\n"
      "emitted-target-removed, target-emitted-before-registered, target-signature-changed and\n"
      "guarantee-withdrawn judge targets. The rules target-removed-early, target-emitted-early "
      "and\n"
      "target-changed-in-place then do not apply. `vintage gate --facts` judges releases of JAX "
      "this way.\n\n"
      "Builds of one product between the two count too, if the archive, `--releases` or "
      "`--release-dates`\n"
      "describe them: NEW must not lack a target that came with one of them. A target that one of "
      "them\n"
      "lacked needs review even if both ends have it. `vintage window` judges runs on them.\n\n"
      "<!-- written by: vintage gate --rules -->\n\n"
      "| rule | result | what must hold | source |\n| --- | --- | --- | --- |\n";
  for (const Rule& rule : gateRules())
    out += fmt::format("| [{0}](rules.md#{0}) | {1} | {2} | {3} |\n", rule.id,
                       gateResultName(rule.severity), rule.summary, rule.source);
  return out;
}

std::string gateText(const Change& change, const GateVerdict& verdict, size_t longest) {
  std::string out = fmt::format("{} -> {}, as of {}\n", change.before.name, change.after.name,
                                formatDate(change.today));
  if (!verdict.remark.empty()) out += fmt::format("remark: {}\n", verdict.remark);
  for (const Finding& finding : verdict.findings) {
    const Rule* rule = findRule(finding.rule);
    out += "\n" + findingHeading(finding) + findingText(finding, longest, "  ");
    if (rule != nullptr) out += fmt::format("  see {}\n", rule->page());
  }
  std::string notJudged;
  for (const Finding& note : verdict.notes)
    if (findRule(note.rule)->check == nullptr)  // Of a waiver.
      out += fmt::format("\nwarning: {}\n", note.message);
    else
      notJudged += fmt::format("  {}: {}\n", note.rule, note.message);
  if (!notJudged.empty()) out += "\nnot judged:\n" + notJudged;
  if (change.speed) {
    const SpeedCounts& counts = change.speed->judgement.counts;
    out += fmt::format(
        "\nspeed: {} measured; no difference of {} times seen in {} quantities, {} not resolved\n",
        counted(static_cast<size_t>(counts.measured), "artifact"), SpeedReport::kWatched,
        counts.noDifference, counts.notResolved);
  }
  if (!verdict.calendar.empty())
    out += "\ncalendar:\n" + calendarText(verdict.calendar, change.today);
  return out + "\n" + resultLine(verdict);
}

json gateJson(const Change& change, const GateVerdict& verdict) {
  json out = verdictJson(verdict);
  out["format"] = "vintage gate verdict";
  out["version"] = 1;
  out["old"] = change.before.name;
  out["new"] = change.after.name;
  out["today"] = formatDate(change.today);
  if (!verdict.remark.empty()) out["remark"] = verdict.remark;
  if (change.speed) out["speed"] = toJson(*change.speed);
  return out;
}

RuleReport gateRuleReport(const Change& change, const GateVerdict& verdict,
                          const GateFiles& files) {
  RuleReport out;
  out.tool = "vintage gate";
  out.toolVersion = vintageVersion();
  out.subject = change.before.name + " -> " + change.after.name;
  out.remark = verdict.remark;
  for (const Rule& rule : gateRules())
    out.rules.push_back({rule.id, rule.summary, rule.page(), levelOf(rule.severity)});
  for (const auto* list : {&verdict.findings, &verdict.notes})
    for (const Finding& finding : *list) {
      RuleReport::Finding reported{
          finding.rule,  finding.instance, levelOf(finding.severity), finding.message, "", 0,
          finding.waiver};
      if (finding.legal)
        reported.message += fmt::format(" Earliest legal date: {}.", finding.legal->text());
      if (!finding.artifacts.empty())
        reported.message += fmt::format(
            " It breaks {}, the newest {} of {}.", counted(finding.artifacts.size(), "artifact"),
            finding.artifacts.back().name, formatDate(finding.artifacts.back().buildDate));
      reported.file = finding.inOld ? files.before : files.after;
      reported.line = lineOf(finding.inOld ? files.beforeText : files.afterText, finding.anchor);
      out.findings.push_back(std::move(reported));
    }
  return out;
}

}  // namespace vintage::harness
