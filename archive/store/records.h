// Which records are asked for, one by one and by content, and how records compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/records/records.h"
#include "golden/base/date.h"

namespace vintage::archive {

// Every field that is set must match. Empty lists match everything.
struct ArtifactFilter {
  std::vector<std::string> ids;    // Whole ids, or prefixes of at least 4 characters.
  std::vector<std::string> names;  // SQLite GLOB patterns.
  std::vector<std::string> primitives, dtypes, platforms, variants, customCallTargets;
  std::vector<std::string> producers;
  std::optional<Date> builtFrom, builtUntil;  // Inclusive.
  std::optional<int> oldestCallingConvention, newestCallingConvention;

  bool operator==(const ArtifactFilter&) const = default;
};
// Its lists by the names under which a filter travels (docs/reference/service.md).
inline constexpr std::pair<const char*, std::vector<std::string> ArtifactFilter::*> kFilterLists[] =
    {{"id", &ArtifactFilter::ids},
     {"name", &ArtifactFilter::names},
     {"primitive", &ArtifactFilter::primitives},
     {"dtype", &ArtifactFilter::dtypes},
     {"platform", &ArtifactFilter::platforms},
     {"variant", &ArtifactFilter::variants},
     {"target", &ArtifactFilter::customCallTargets},
     {"producer", &ArtifactFilter::producers}};

// An artifact with its row, which is another artifact's once it is removed.
struct ArtifactInRow {
  int64_t row = 0;
  ArtifactRecord record;
};

struct OutcomeFilter {
  std::vector<ContentId> artifacts;
  std::vector<std::string> builds, platforms, modes, runs;
  std::vector<OutcomeKind> outcomes;  // Applied after latestOnly.
  // For each (artifact, golden, build, platform, mode); of the archive's own runs, unless `runs`
  // asks for others.
  bool latestOnly = true;
  bool ownOnly = false;  // Without what somebody else reported.
};

// Walking an archive content by content: all artifacts that share their bytes
// and their golden, with their outcomes. One execution serves all of
// them, and night after night most artifacts are the same bytes again.
//
// Memory holds one content, however many the archive has.

struct ContentFilter {
  std::optional<Date> builtFrom, builtUntil;  // Inclusive.
  // The part numbered `shard`, from 0, of `shards` parts of the archive. Which
  // part a content belongs to depends on its hash alone.
  int shard = 0, shards = 1;
  std::vector<std::string> runs = {};  // Only their outcomes; empty: those that count.
};

struct ArchivedContent {
  std::vector<ArtifactRecord> records;  // At least one; by build date and name.
  std::vector<OutcomeRecord> outcomes;  // The latest of each (build, platform, mode).
};

// Which part of `shards` an artifact with this id belongs to.
int shardOf(const ContentId& id, int shards);

// ArtifactFilter as Archive applies it, for records without an index.
bool fitsFilter(const ArtifactFilter& filter, const ArtifactRecord& record);

// Whether `kept` says all that `put` says, so that putting it would change nothing.
bool covers(const ArtifactRecord& kept, const ArtifactRecord& put);
bool covers(const OutcomeRecord& kept, const OutcomeRecord& put);

// How two records of one name and producer contradict each other, as "its primitive is 'add' there
// and 'mul' here"; empty where each only adds to the other.
std::string contradiction(const ArtifactRecord& kept, const ArtifactRecord& put);

}  // namespace vintage::archive
