// What the passes of fsck share: the archive, the options, and the way in which
// a finding is completed and told.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "archive/archive_implementation.h"
#include "archive/integrity/fsck.h"

namespace vintage {

struct FsckPasses {
  Archive::Implementation& archive;
  const FsckOptions& options;
  const std::function<void(const FsckFinding&)>& report;
  FsckSummary summary;

  Database& database() { return *archive.database; }
  std::string indexPath() { return database().path(); }

  // Adds who is affected, counts and reports.
  Status tell(FsckFinding finding);
  // Asks healFrom, verifies, and keeps it; sets `healed` and `remedy`.
  Status heal(FsckFinding& finding);
  // Whether this part of the archive is read: by the first four bytes of its hash.
  bool isPart(std::span<const std::byte> hash) const;
  void progress(std::string_view what, int64_t done, int64_t total) const;
};

// One pass each. An error is one of checking; damage is told.
Status checkIndex(FsckPasses& checker);
Status checkRecords(FsckPasses& checker);
Status checkDictionaries(FsckPasses& checker);  // Before the blobs that need them.
Status checkBlobs(FsckPasses& checker);
Status checkFiles(FsckPasses& checker);

// Whether `bytes`, whose hash fits, are what those who name them take them for:
// the artifacts of their format, a golden. Empty: they are.
Result<std::string> checkStructure(FsckPasses& checker, int64_t blob,
                                   std::span<const std::byte> bytes);

}  // namespace vintage
