// Artifacts' rows in the index.
//
// Free functions over the Database; a call that writes belongs inside the
// caller's transaction.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/change_log.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

class ArtifactWriter;

// Sorts what has to be sorted. kUsage where a name or producer is missing, too
// long, or holds control characters.
Status normalize(ArtifactRecord& record);

// `blob` and `golden` are rows of blobs that are kept. See Archive::put for
// what is filled in and what is a kConflict.
Status putArtifact(ArtifactWriter& writer, const ArtifactRecord& record, int64_t blob,
                   std::optional<int64_t> golden, const Author& author);

// kNotFound where it is gone. Who reads many has an ArtifactReader.
Result<ArtifactRecord> artifactOfRow(Database& database, int64_t row);

// The record with exactly this name and producer.
Result<std::optional<ArtifactRecord>> artifactNamed(Database& database, std::string_view name,
                                                    std::string_view producer);

// See Archive::find.
Result<ArtifactRecord> findArtifact(Database& database, std::string_view idOrName);

// Who is affected by damage to this content: "NAME (PRODUCER)", at most
// `longest` of them, and the golden's users with "the golden of" before them.
Result<std::vector<std::string>> usersOfContent(Database& database, const ContentId& id,
                                                size_t longest);

// Artifacts' rows as records.
//
// A row and its family's hold numbers: what many artifacts have in common
// (archive/store/artifact_parts.h) stands in small tables, whose rows neither
// change nor go. A reader reads each of them once, for as long as it lives: one
// call, such as a walk over all artifacts. The view artifact_record would join
// them to each artifact anew, which took five times as long.

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

}  // namespace vintage::archive
