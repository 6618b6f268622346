#include "harness/gate/finding_report.h"

#include <fmt/format.h>

#include "harness/gate/measured.h"

namespace vintage::harness::gate {
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

}  // namespace

std::string counted(size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string findingText(const Finding& finding, size_t longest, const std::string& indent) {
  std::string out = indent + finding.message + "\n";
  if (finding.legal)
    out += fmt::format("{}earliest legal date: {} = {}\n", indent, formatDate(finding.legal->date),
                       finding.legal->sum);
  else if (finding.severity == GateResult::kForbidden)
    out += indent + "earliest legal date: none; waiting does not make it legal\n";
  if (!finding.artifacts.empty()) {
    out += fmt::format("{}{} {}:\n", indent,
                       finding.stillRunsOn.empty() ? "breaks" : "still called by",
                       counted(finding.artifacts.size(), "artifact", "artifacts"));
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
                       counted(finding.consumers.size() - longest, "consumer", "consumers"));
  out += measuredText(finding, indent);
  if (!finding.waiver.empty()) out += fmt::format("{}waived: {}\n", indent, finding.waiver);
  return out;
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

}  // namespace vintage::harness::gate
