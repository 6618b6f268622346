// Calendar dates in UTC. Build dates have no time of day.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "golden/base/result.h"

namespace vintage {

using Date = std::chrono::sys_days;

// Accepts exactly YYYY-MM-DD of an existing day.
Result<Date> parseDate(std::string_view text);
std::string formatDate(Date date);

}  // namespace vintage
