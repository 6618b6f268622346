// A verdict of the gate, for people and for programs, in the words that all of the gate's reports
// share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/gate/gate.h"
#include "reports/rule_report.h"

namespace vintage::harness {

// Merges findings that say the same about several instances, in the order of the findings. A group
// lists artifacts of one `key` once, and adds up the runs on one build.
std::vector<Finding> groupedFindings(
    const std::vector<Finding>& findings,
    const std::function<bool(const Finding& group, const Finding& finding)>& alike,
    std::string archive::ArtifactRecord::* key);
// "forbidden     target-removed-in-use  solve@cpu" and the end of the line.
std::string findingHeading(const Finding& finding);
// The text below a finding's heading, each line indented. `longest` bounds the listed artifacts and
// consumers.
std::string findingText(const Finding& finding, size_t longest, const std::string& indent);
nlohmann::json verdictJson(const GateVerdict& verdict);

// Where the descriptions lie, so that a finding can point at a line.
struct GateFiles {
  std::string before, after;          // Paths.
  std::string beforeText, afterText;  // Their content.
};

// `longest` bounds the artifacts listed for one finding; the rest is counted.
std::string gateText(const Change& change, const GateVerdict& verdict, size_t longest = 10);
nlohmann::json gateJson(const Change& change, const GateVerdict& verdict);
reports::RuleReport gateRuleReport(const Change& change, const GateVerdict& verdict,
                                   const GateFiles& files);

// The rules as the page docs/gate/README.md.
std::string ruleIndex();

// The line of `text` (from 1) on which `anchor` stands as a JSON text; 0: nowhere.
int lineOf(std::string_view text, std::string_view anchor);

}  // namespace vintage::harness
