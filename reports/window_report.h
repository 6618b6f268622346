// A window's report as JSON, which is complete (docs/window.md), and as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "archive/records/window_report.h"
#include "golden/base/result.h"

namespace vintage::reports {

nlohmann::json toJson(const archive::WindowReport& report);
Result<archive::WindowReport> parseWindowReport(std::string_view text, std::string_view name);
// `longest` bounds the pairs and measurements that it lists.
std::string windowText(const archive::WindowReport& report, size_t longest = 50);

// The counts of the JSON form, for its writer and its reader.
inline constexpr const char* kWindowFormat = "vintage window";
inline constexpr int kWindowVersion = 1;
inline constexpr std::pair<const char*, archive::Cell> kPromiseCounts[] = {
    {"pass", archive::Cell::kPass},
    {"compiled", archive::Cell::kCompiled},
    {"expected_failures", archive::Cell::kExpectedFailure},
    {"unexpected_passes", archive::Cell::kUnexpectedPass},
    {"failures", archive::Cell::kFail},
    {"unknown", archive::Cell::kUntested}};
inline constexpr std::pair<const char*, int64_t archive::WindowReport::*> kReportCounts[] = {
    {"contents", &archive::WindowReport::contents},
    {"artifacts", &archive::WindowReport::artifacts},
    {"consumers", &archive::WindowReport::consumers},
    {"programs", &archive::WindowReport::programs},
    {"reused", &archive::WindowReport::reused},
    {"ran", &archive::WindowReport::ran},
    {"skipped", &archive::WindowReport::skipped},
    {"facts_left_out", &archive::WindowReport::factsLeftOut}};

}  // namespace vintage::reports
