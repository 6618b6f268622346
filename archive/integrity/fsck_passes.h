// What the passes of fsck share: the archive, the options, and the way in which
// a finding is completed and reported.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/integrity/fsck.h"
#include "archive/integrity/room.h"
#include "archive/store/archive.h"
#include "archive/store/index_check.h"

namespace vintage::archive::integrity {

inline constexpr std::string_view kRestoreIndex =
    "restore index.sqlite from a copy, or mirror what is readable into a new archive";

struct AskedDonor {
  ContentDonor* donor;
  std::optional<Error> givenUp;
};

struct FsckPasses {
  Archive& archive;
  const FsckOptions& options;
  const std::function<void(const FsckFinding&)>& report;
  FsckSummary summary;
  std::vector<AskedDonor> donors{};
  // And not healed. Then nothing is repaired: what is written by a damaged index may
  // end up in place of something else.
  bool indexDamaged = false;

  std::string indexPath() const { return store::indexPath(archive); }

  // Adds who is affected, counts and reports.
  Status add(FsckFinding finding);
  // Where SQLite cannot read on: a finding (the first of many in a pass), and
  // checking goes on. Any other error is returned.
  Status addUnreadable(const std::string& where, const Error& error);
  int unreadable = 0;  // In this pass.
  bool mayRepair() const { return options.repair && !indexDamaged; }
  void progress(std::string_view what, int64_t done, int64_t total) const;
};

// One pass each. An error means that checking failed; damage is a finding.
Status checkPages(FsckPasses& checker);  // First: decides whether anything is repaired.
Status checkReferences(FsckPasses& checker);
Status checkSearchTerms(FsckPasses& checker);
Status checkRecords(FsckPasses& checker);
Status checkDictionaries(FsckPasses& checker);  // Before the blobs that need them.
Status checkBlobs(FsckPasses& checker);
Status checkFiles(FsckPasses& checker);
// The lists that the key of the options signed; nothing without one.
Status checkSigned(FsckPasses& checker);

}  // namespace vintage::archive::integrity
