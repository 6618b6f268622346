// Values of Vintage as they stand in the index's columns.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/database.h"
#include "archive/store/records.h"
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

// The columns that artifactOfColumns() reads, of these tables.
inline constexpr std::string_view kArtifactColumns =
    "b.hash, a.name, a.format, a.producer, a.build_day, a.calling_convention, a.serialization, "
    "a.stablehlo, a.primitive, a.case_id, a.dtypes, a.platforms, a.variant, a.device_count, "
    "a.targets, g.hash, b.bytes, a.id";
// Behind `artifact AS a`. CROSS: it is looked up for the artifact, never the
// other way round.
inline constexpr std::string_view kArtifactContents =
    " CROSS JOIN blob AS b ON b.id = a.blob LEFT JOIN blob AS g ON g.id = a.golden";

inline constexpr int kArtifactRowColumn = 17;  // a.id
inline constexpr int kArtifactColumnCount = 18;

// Reads the row that the query stands on.
Result<ArtifactRecord> artifactOfColumns(const Query& query);

}  // namespace vintage::archive::store
