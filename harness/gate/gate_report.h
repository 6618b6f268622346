// A verdict of the gate, for people and for programs.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "harness/gate/gate.h"
#include "harness/gate/room.h"
#include "reports/rule_report.h"

namespace vintage::harness::gate {

// Where the descriptions lie, so that a finding can point at a line.
struct GateFiles {
  std::string before, after;          // Paths.
  std::string beforeText, afterText;  // Their content.
};

// `longest` bounds the artifacts listed for one finding; the rest is counted.
std::string gateText(const Change& change, const GateVerdict& verdict, size_t longest = 10);
nlohmann::json gateJson(const Change& change, const GateVerdict& verdict);
RuleReport gateRuleReport(const Change& change, const GateVerdict& verdict, const GateFiles& files);

// The rules as the page docs/gate/README.md.
std::string ruleIndex();

// The line of `text` (from 1) on which `anchor` stands as a JSON text; 0: nowhere.
int lineOf(std::string_view text, std::string_view anchor);

}  // namespace vintage::harness::gate
