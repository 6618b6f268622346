// What many artifacts have in common: each of it stands once, in a small table of its own, and
// an artifact's row holds numbers. The view `artifact_record` puts them together again.
//
// Rejected: one row with all texts for each artifact. Nine tenths of an index of small programs
// were the same few texts over and over, and SQLite's pages are not packed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archive/store/database.h"
#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

// A name is its stem and its suffix, which many names share: "tanh_f32[8,8]" and "/cpu".
struct NameParts {
  std::string_view stem, suffix;
};
NameParts partsOfName(std::string_view name);

// The numbers in an artifact's row.
struct ArtifactParts {
  int64_t stem = 0, suffix = 0, origin = 0, kind = 0, platforms = 0;
  std::optional<int64_t> targets;  // None: an empty list.
};

// Keeps what is not there yet. Inside the caller's transaction.
Result<ArtifactParts> keepParts(Database& database, const ArtifactRecord& record);

// The artifact's row; none where it is not kept. A whole archive has one of each name and producer.
Result<std::optional<int64_t>> rowOfArtifact(Database& database, std::string_view name,
                                             std::string_view producer);
// The newest artifact with this name, of any producer.
Result<std::optional<int64_t>> newestRowOfName(Database& database, std::string_view name);

// After an artifact of this name was removed: removes what no other one has.
Status forgetName(Database& database, std::string_view name);

}  // namespace vintage::archive::store
