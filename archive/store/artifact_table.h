// Artifacts' rows in the index.
//
// Free functions over the Database; a call that writes belongs inside the
// caller's transaction.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/artifact_writer.h"
#include "archive/store/change_log.h"
#include "archive/store/database.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// Sorts what has to be sorted. kUsage where a name or producer is missing, too
// long, or holds control characters.
Status normalize(ArtifactRecord& record);

// `blob` and `golden` are rows of blobs that are kept. See Archive::put for
// what is filled in and what is a kConflict.
Status putArtifact(ArtifactWriter& writer, const ArtifactRecord& record, int64_t blob,
                   std::optional<int64_t> golden, const Author& author);

// kNotFound where it is gone. Who reads many has an ArtifactReader
// (archive/store/artifact_reader.h).
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

}  // namespace vintage::archive::store
