// Findings of rules about a change, in the formats of other programs: SARIF for code scanning,
// annotations for the pages of a code host, JUnit for continuous integration.
#pragma once

#include <string>
#include <vector>

namespace vintage::reports {

struct RuleReport {
  enum class Level { kNote, kWarning, kError };
  struct Rule {
    std::string id, summary;
    std::string page;  // Its documentation: a path in the project.
    Level level = Level::kError;
  };
  struct Finding {
    std::string rule;  // One of `rules`.
    std::string instance;
    Level level = Level::kError;
    std::string message;
    std::string file;    // Empty: none.
    int line = 0;        // From 1; 0: not known.
    std::string waiver;  // Why it is accepted; empty: it is not.
  };
  std::string tool, toolVersion;
  std::string subject;  // "OLD -> NEW"
  std::string remark;   // A reason why the result is weaker than it seems; empty: none.
  std::vector<Rule> rules;
  std::vector<Finding> findings;
};

// SARIF 2.1.0. Waived findings are suppressed results.
std::string sarif(const RuleReport& report);
// GitHub's workflow commands, "::error file=…,line=…,title=…::message", a line each.
std::string githubAnnotations(const RuleReport& report);
// GitLab's Code Quality report, a JSON list.
std::string gitlabCodeQuality(const RuleReport& report);
// A case for each rule without findings, for each finding, and for each waived one (skipped).
std::string junitXml(const RuleReport& report);

}  // namespace vintage::reports
