// The costs of builds beside each other, as complete JSON (docs/reference/speed.md) and as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/records/speed_report.h"
#include "golden/base/result.h"

namespace vintage::reports {

nlohmann::json toJson(const archive::SpeedReport& report);

// One comparison as an archive keeps it with the run that measured it.
nlohmann::json comparisonJson(const archive::BuildComparison& comparison);
Result<archive::BuildComparison> parseComparison(std::string_view text, std::string_view name);

// Findings and counts; `longest` bounds the findings that it lists.
std::string speedText(const archive::SpeedReport& report, size_t longest = 50);
// A line for each artifact and quantity of each comparison.
std::string speedTable(const archive::SpeedReport& report);

}  // namespace vintage::reports
