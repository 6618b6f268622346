// What the passes of fsck share: the archive, the options, and the way in which
// a finding is completed and told.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/archive_implementation.h"
#include "archive/integrity/fsck.h"

namespace vintage {

// Why nothing is written where the index itself is damaged.
inline constexpr std::string_view kIndexFirst =
    "the index is damaged, and what is written to it might make that worse: restore index.sqlite "
    "from a copy, or mirror what is readable into a new archive";

struct AskedDonor {
  ContentDonor* donor;
  std::optional<Error> givenUp;
};

struct FsckPasses {
  Archive::Implementation& archive;
  const FsckOptions& options;
  const std::function<void(const FsckFinding&)>& report;
  FsckSummary summary;
  std::vector<AskedDonor> donors;
  bool indexDamaged = false;  // And not healed.

  Database& database() { return *archive.database; }
  std::string indexPath() { return database().path(); }

  // Adds who is affected, counts and reports.
  Status tell(FsckFinding finding);
  bool mayRepair() const { return options.repair && !indexDamaged; }
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
