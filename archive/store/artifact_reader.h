// Artifacts' rows as records.
//
// A row and its family's hold numbers: what many artifacts have in common
// (archive/store/artifact_parts.h) stands in small tables, whose rows neither
// change nor go. A reader reads each of them once, for as long as it lives: one
// call, such as a walk over all artifacts. The view artifact_record would join
// them to each artifact anew, which took five times as long.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// What a reader reads, of `artifact AS r`, its `family AS f` and kArtifactContents behind them.
inline constexpr std::string_view kArtifactColumns =
    "r.id, r.form, f.tail, f.origin, f.kind, f.targets, f.case_id, f.case_id IS 1, n.text, b.hash, "
    "b.bytes, g.hash";
inline constexpr int kArtifactRowColumn = 0;
inline constexpr int kArtifactColumnCount = 12;
// CROSS: they are looked up for the artifact, never the other way round.
inline constexpr std::string_view kArtifactContents =
    " LEFT JOIN head AS n ON n.id = f.head CROSS JOIN blob AS b ON b.id = r.blob LEFT JOIN blob AS "
    "g ON g.id = r.golden";

class ArtifactReader {
 public:
  explicit ArtifactReader(Database& database);
  ~ArtifactReader();

  // The row that the query stands on. What is missing of it reads as empty; a list that is missing
  // is kBadInput.
  Status read(const Query& query, ArtifactRecord& record);
  // kNotFound where it is gone, or its content's row is.
  Result<ArtifactRecord> row(int64_t id);

 private:
  struct Parts;
  Database& database_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace vintage::archive::store
