// Walking an archive content by content: all artifacts that share their bytes
// and their golden, with their outcomes. One execution serves all of
// them, and night after night most artifacts are the same bytes again.
//
// Memory holds one content, however many the archive has.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "archive/store/records.h"
#include "archive/store/room.h"
#include "golden/base/date.h"
#include "golden/base/result.h"

namespace vintage::archive::store {

class Database;

struct ContentFilter {
  std::optional<Date> builtFrom, builtUntil;  // Inclusive.
  // The part numbered `shard`, from 0, of `shards` parts of the archive. Which
  // part a content belongs to depends on its hash alone.
  int shard = 0, shards = 1;
};

struct ArchivedContent {
  std::vector<ArtifactRecord> records;  // At least one; by build date and name.
  std::vector<OutcomeRecord> outcomes;  // The latest of each (build, platform, mode).
};

// Which part of `shards` an artifact with this id belongs to.
int shardOf(const ContentId& id, int shards);

// See Archive::forEachContent.
Status visitContents(Database& database, const ContentFilter& filter,
                     const std::function<Result<bool>(const ArchivedContent&)>& visit);

}  // namespace vintage::archive::store
