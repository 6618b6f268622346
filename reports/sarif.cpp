// SARIF 2.1.0 (OASIS standard): one run, the rules in the driver, a result for
// each finding.
#include <map>

#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"
#include "reports/rule_report.h"

namespace vintage::reports {
namespace {

using nlohmann::json;
using Level = RuleReport::Level;

const char* sarifLevel(Level level) {
  switch (level) {
    case Level::kNote:
      return "note";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "none";
}

// A path as a URI reference (RFC 3986); an absolute one as a file URI.
std::string uriOf(const std::string& path) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 &&
        (std::isalnum(byte) != 0 || std::string_view("-._~/@").find(c) != std::string_view::npos)) {
      out += c;
    } else {
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
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
                     {"defaultConfiguration", {{"level", sarifLevel(rule.level)}}}});
  }
  json results = json::array();
  for (const RuleReport::Finding& finding : report.findings) {
    json result = {
        {"ruleId", finding.rule},
        {"level", sarifLevel(finding.level)},
        {"message", {{"text", finding.message}}},
        {"partialFingerprints",
         {{"vintageRuleAndInstance/v1", contentHash(finding.rule + "\n" + finding.instance)}}}};
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
  const json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                         {"version", "2.1.0"},
                         {"runs", json::array({{{"tool", {{"driver", driver}}},
                                                {"columnKind", "utf16CodeUnits"},
                                                {"results", results}}})}};
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace vintage::reports
