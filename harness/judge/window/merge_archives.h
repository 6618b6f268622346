// Merges archives, such as those of shards that ran on machines of their own.
#pragma once

#include <cstdint>
#include <string>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::harness {

struct MergeCounts {
  int64_t artifacts = 0, newArtifacts = 0;
  int64_t builds = 0, newBuilds = 0;
  int64_t runs = 0, outcomes = 0;
};

// Takes everything of `from` that `into` does not have: artifacts with goldens, builds with their
// kept programs, runs with their limitations, outcomes. A contradiction (the same name with other
// bytes, the same build with another date or program) is a kConflict, and nothing after it is
// taken. Merging again changes nothing.
Result<MergeCounts> mergeArchive(const archive::Archive& from, archive::Archive& into);

// Opens or makes an archive in `folder` with the parts of `from` that one shard of a window needs:
// the contents of part `shard`, from 0, of `shards`, their outcomes, all builds and the declared
// limitations. Kept programs are links into `from`. Machines that share a folder without its locks
// record into such archives; mergeArchive() joins them.
Result<archive::Archive> archiveOfShard(const archive::Archive& from, const std::string& folder,
                                        int shard, int shards);

// The same with the builds alone: for a shard that exports.
Result<archive::Archive> archiveOfBuilds(const archive::Archive& from, const std::string& folder);

}  // namespace vintage::harness
