#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "golden/base/content_hash.h"
#include "reports/rule_report.h"

namespace vintage::reports {
namespace {

using nlohmann::json;
using Level = RuleReport::Level;

// Workflow commands end at a line's end and divide properties by ',' and ':'.
std::string commandText(std::string_view text, bool isProperty) {
  std::string out;
  for (const char c : text) {
    const bool special =
        c == '%' || c == '\r' || c == '\n' || (isProperty && (c == ':' || c == ','));
    out += special ? fmt::format("%{:02X}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return out;
}

const char* githubCommand(Level level) {
  return level == Level::kError ? "error" : level == Level::kWarning ? "warning" : "notice";
}

const char* gitlabSeverity(Level level) {
  return level == Level::kError ? "blocker" : level == Level::kWarning ? "major" : "info";
}

// A waived finding is still worth a line, not an alarm.
Level shownLevel(const RuleReport::Finding& finding) {
  return finding.waiver.empty() ? finding.level : Level::kNote;
}

std::string shownMessage(const RuleReport::Finding& finding) {
  return finding.waiver.empty() ? finding.message
                                : fmt::format("{} Waived: {}", finding.message, finding.waiver);
}

}  // namespace

std::string githubAnnotations(const RuleReport& report) {
  std::string out;
  for (const RuleReport::Finding& finding : report.findings) {
    std::string properties;
    if (!finding.file.empty()) properties += "file=" + commandText(finding.file, true) + ",";
    if (!finding.file.empty() && finding.line > 0)
      properties += fmt::format("line={},", finding.line);
    properties += "title=" + commandText(finding.rule + " " + finding.instance, true);
    out += fmt::format("::{} {}::{}\n", githubCommand(shownLevel(finding)), properties,
                       commandText(shownMessage(finding), false));
  }
  return out;
}

std::string gitlabCodeQuality(const RuleReport& report) {
  json out = json::array();
  for (const RuleReport::Finding& finding : report.findings)
    out.push_back({{"description", shownMessage(finding)},
                   {"check_name", finding.rule},
                   {"fingerprint", contentHash(finding.rule + "\n" + finding.instance)},
                   {"severity", gitlabSeverity(shownLevel(finding))},
                   {"location",
                    {{"path", finding.file.empty() ? report.subject : finding.file},
                     {"lines", {{"begin", std::max(1, finding.line)}}}}}});
  return out.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace vintage::reports
