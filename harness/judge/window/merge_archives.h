// What other archives recorded, taken into one: shards that ran on machines of
// their own come together.
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

// Everything of `from` that `into` does not have: artifacts with goldens,
// builds with their kept programs, runs with their limitations, outcomes. What
// contradicts what is there (the same name with other bytes, the same build
// with another date or program) is a kConflict, and nothing after it is taken.
// Doing it again changes nothing.
Result<MergeCounts> mergeArchive(const archive::Archive& from, archive::Archive& into);

// An archive of its own in `folder`, made where it is missing, with what a shard of the window
// needs of `from`: the contents of the part numbered `shard`, from 0, of `shards`, what is known of
// them, all builds and the declared limitations. Kept programs are links into `from`. Machines that
// share a folder and not its locks record into archives like this, and mergeArchive() brings them
// together.
Result<archive::Archive> archiveOfShard(const archive::Archive& from, const std::string& folder,
                                        int shard, int shards);

// The same with the builds alone: for a shard that exports.
Result<archive::Archive> archiveOfBuilds(const archive::Archive& from, const std::string& folder);

}  // namespace vintage::harness
