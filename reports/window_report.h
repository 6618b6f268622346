// A window's report as JSON, which is complete (docs/window.md), and as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "archive/records/window_report.h"
#include "golden/base/result.h"
#include "reports/room.h"

namespace vintage::reports {

nlohmann::json toJson(const WindowReport& report);
Result<WindowReport> parseWindowReport(std::string_view text, std::string_view name);
// `longest` bounds the pairs and measurements that it lists.
std::string windowText(const WindowReport& report, size_t longest = 50);

// The counts of the JSON form, for its writer and its reader.
inline constexpr const char* kWindowFormat = "vintage window";
inline constexpr int kWindowVersion = 1;
inline constexpr std::pair<const char*, Cell> kPromiseCounts[] = {
    {"pass", Cell::kPass},
    {"compiled", Cell::kCompiled},
    {"expected_failures", Cell::kExpectedFailure},
    {"unexpected_passes", Cell::kUnexpectedPass},
    {"failures", Cell::kFail},
    {"unknown", Cell::kUntested}};
inline constexpr std::pair<const char*, int64_t WindowReport::*> kReportCounts[] = {
    {"contents", &WindowReport::contents},   {"artifacts", &WindowReport::artifacts},
    {"consumers", &WindowReport::consumers}, {"programs", &WindowReport::programs},
    {"reused", &WindowReport::reused},       {"ran", &WindowReport::ran},
    {"skipped", &WindowReport::skipped},     {"facts_left_out", &WindowReport::factsLeftOut}};

}  // namespace vintage::reports
