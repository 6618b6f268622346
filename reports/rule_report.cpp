#include "reports/rule_report.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"

namespace vintage::reports {
namespace {

using nlohmann::json;
using Level = RuleReport::Level;

struct LevelNames {
  const char *sarif, *github, *gitlab;
};

const LevelNames& namesOf(Level level) {
  static constexpr LevelNames kNames[] = {
      {"note", "notice", "info"}, {"warning", "warning", "major"}, {"error", "error", "blocker"}};
  return kNames[static_cast<size_t>(level)];
}

bool holds(std::string_view characters, char c) { return characters.find(c) != characters.npos; }

std::string percentEncoded(std::string_view text, bool (*isSpecial)(char)) {
  std::string out;
  for (const char c : text)
    out += isSpecial(c) ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  return out;
}

// A path as a URI reference (RFC 3986); an absolute one as a file URI.
std::string uriOf(const std::string& path) {
  return (path.starts_with('/') ? "file://" : "") + percentEncoded(path, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           const bool isPlain = byte < 0x80 && (std::isalnum(byte) != 0 || holds("-._~/@", c));
           return !isPlain;
         });
}

// Workflow commands end at a line's end and divide properties by ',' and ':'.
std::string commandText(std::string_view text) {
  return percentEncoded(text, [](char c) { return holds("%\r\n", c); });
}
std::string propertyText(std::string_view text) {
  return percentEncoded(text, [](char c) { return holds("%\r\n:,", c); });
}

std::string fingerprint(const RuleReport::Finding& finding) {
  return contentHash(finding.rule + "\n" + finding.instance);
}

std::string documentText(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

// A waived finding appears as a note, not as an alarm.
Level shownLevel(const RuleReport::Finding& finding) {
  return finding.waiver.empty() ? finding.level : Level::kNote;
}

std::string shownMessage(const RuleReport::Finding& finding) {
  return finding.waiver.empty() ? finding.message
                                : fmt::format("{} Waived: {}", finding.message, finding.waiver);
}

}  // namespace

std::string sarif(const RuleReport& report) {
  json rules = json::array();
  std::map<std::string, size_t> indexOf;
  for (const RuleReport::Rule& rule : report.rules) {
    indexOf[rule.id] = rules.size();
    rules.push_back({{"id", rule.id},
                     {"shortDescription", {{"text", rule.summary}}},
                     {"help", {{"text", rule.summary + " See " + rule.page + "."}}},
                     {"defaultConfiguration", {{"level", namesOf(rule.level).sarif}}}});
  }
  json results = json::array();
  for (const RuleReport::Finding& finding : report.findings) {
    json result = {{"ruleId", finding.rule},
                   {"level", namesOf(finding.level).sarif},
                   {"message", {{"text", finding.message}}},
                   {"partialFingerprints", {{"vintageRuleAndInstance/v1", fingerprint(finding)}}}};
    if (const auto index = indexOf.find(finding.rule); index != indexOf.end())
      result["ruleIndex"] = index->second;
    if (!finding.file.empty()) {
      json place = {{"artifactLocation", {{"uri", uriOf(finding.file)}}}};
      if (finding.line > 0) place["region"] = {{"startLine", finding.line}};
      result["locations"] =
          json::array({{{"physicalLocation", place},
                        {"logicalLocations", json::array({{{"name", finding.instance}}})}}});
    }
    if (!finding.waiver.empty())
      result["suppressions"] = json::array(
          {{{"kind", "external"}, {"status", "accepted"}, {"justification", finding.waiver}}});
    results.push_back(std::move(result));
  }
  const json driver = {
      {"name", report.tool}, {"semanticVersion", report.toolVersion}, {"rules", rules}};
  json run = {
      {"tool", {{"driver", driver}}}, {"columnKind", "utf16CodeUnits"}, {"results", results}};
  if (!report.remark.empty()) {
    json notification = {{"level", "warning"}, {"message", {{"text", report.remark}}}};
    run["invocations"] =
        json::array({{{"executionSuccessful", true},
                      {"toolExecutionNotifications", json::array({std::move(notification)})}}});
  }
  return documentText({{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                       {"version", "2.1.0"},
                       {"runs", json::array({std::move(run)})}});
}

std::string githubAnnotations(const RuleReport& report) {
  std::string out;
  if (!report.remark.empty())
    out += fmt::format("::notice title={}::{}\n", propertyText(report.subject),
                       commandText(report.remark));
  for (const RuleReport::Finding& finding : report.findings) {
    std::string properties;
    if (!finding.file.empty()) properties += "file=" + propertyText(finding.file) + ",";
    if (!finding.file.empty() && finding.line > 0)
      properties += fmt::format("line={},", finding.line);
    properties += "title=" + propertyText(finding.rule + " " + finding.instance);
    out += fmt::format("::{} {}::{}\n", namesOf(shownLevel(finding)).github, properties,
                       commandText(shownMessage(finding)));
  }
  return out;
}

std::string gitlabCodeQuality(const RuleReport& report) {
  json out = json::array();
  if (!report.remark.empty())
    out.push_back({{"description", report.remark},
                   {"check_name", report.tool},
                   {"fingerprint", contentHash(report.subject + "\n" + report.remark)},
                   {"severity", namesOf(Level::kNote).gitlab},
                   {"location", {{"path", report.subject}, {"lines", {{"begin", 1}}}}}});
  for (const RuleReport::Finding& finding : report.findings)
    out.push_back({{"description", shownMessage(finding)},
                   {"check_name", finding.rule},
                   {"fingerprint", fingerprint(finding)},
                   {"severity", namesOf(shownLevel(finding)).gitlab},
                   {"location",
                    {{"path", finding.file.empty() ? report.subject : finding.file},
                     {"lines", {{"begin", std::max(1, finding.line)}}}}}});
  return documentText(out);
}

}  // namespace vintage::reports
