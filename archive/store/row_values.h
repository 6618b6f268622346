// Values of Vintage as they stand in the index's columns.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "archive/store/room.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// Days since 1970-01-01.
inline int64_t dayNumber(Date date) { return date.time_since_epoch().count(); }
inline Date dateOfDay(int64_t day) { return Date(std::chrono::days(day)); }

// A list of texts as a JSON array.
std::string listText(std::span<const std::string> values);
// kBadInput where it is not one.
Result<std::vector<std::string>> parseList(const std::string& text);

// "2026-11-20T21:50:00Z"
std::string timeText(std::chrono::system_clock::time_point time);

}  // namespace vintage::archive::store
