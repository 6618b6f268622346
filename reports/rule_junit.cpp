#include <algorithm>

#include "reports/junit_document.h"
#include "reports/rule_report.h"

namespace vintage::reports {

std::string junitXml(const RuleReport& report) {
  JunitSuite suite{report.tool + ": " + report.subject, {}};
  for (const RuleReport::Rule& rule : report.rules) {
    bool kept = true;
    for (const RuleReport::Finding& finding : report.findings) {
      if (finding.rule != rule.id) continue;
      kept = false;
      const bool waived = !finding.waiver.empty();
      const auto kind = waived || finding.level == RuleReport::Level::kNote
                            ? JunitCase::Kind::kSkipped
                            : JunitCase::Kind::kFailure;
      suite.cases.push_back({rule.id, finding.instance, kind,
                             waived ? "waived: " + finding.waiver : finding.message,
                             finding.message + "\nsee " + rule.page, 0});
    }
    if (kept) suite.cases.push_back({rule.id, rule.summary, JunitCase::Kind::kPass, "", "", 0});
  }
  return junitDocument(report.tool, {suite});
}

}  // namespace vintage::reports
