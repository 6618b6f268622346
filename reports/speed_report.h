// The costs of builds beside each other, as complete JSON (docs/reference/speed.md) and as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/records/speed_report.h"
#include "golden/base/result.h"

namespace vintage::reports {

nlohmann::json toJson(const archive::JudgedSpeed& speed);

// One comparison as an archive keeps it with the run that measured it.
nlohmann::json comparisonJson(const archive::BuildComparison& comparison);
Result<archive::BuildComparison> parseComparison(std::string_view text, std::string_view name);

// Findings and counts; `longest` bounds the findings that it lists.
std::string speedText(const archive::JudgedSpeed& speed, size_t longest = 50);
// "run of loop_f32_n*/cpu (cpu, compiled)"
std::string subjectText(const archive::SpeedFinding& finding);
// "slow-loops is unnecessary: the run of loop_f32_n*/cpu (cpu, compiled) on jax-0.11.2 is as …"
std::string unnecessaryText(const archive::UnnecessaryLimitation& limitation);
// "1304 times (1292 to 1439 in 4 rounds), 1.2 ms -> 1.6 s"
std::string measuredText(const archive::MeasuredQuantity& measured);
// The same, with how the function grows with its size.
std::string measuredText(const archive::SpeedFinding& finding);
// A line for each artifact and quantity of each comparison.
std::string speedTable(const archive::SpeedReport& report);

}  // namespace vintage::reports
