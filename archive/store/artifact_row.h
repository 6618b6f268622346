// From a row of the index to an ArtifactRecord.
#pragma once

#include <string_view>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

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
