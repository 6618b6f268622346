// A window's report as JSON, which is complete (docs/reference/window.md), and as text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "archive/records/window_report.h"
#include "golden/base/result.h"

namespace vintage::reports {

nlohmann::json toJson(const archive::WindowReport& report);
Result<archive::WindowReport> parseWindowReport(std::string_view text, std::string_view name);
// `longest` bounds the pairs and measurements that it lists.
std::string windowText(const archive::WindowReport& report, size_t longest = 50);

}  // namespace vintage::reports
