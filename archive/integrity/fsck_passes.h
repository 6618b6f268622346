// The state that the passes of fsck share: the archive, the options, and how a finding is
// completed, healed and reported.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "archive/integrity/fsck.h"
#include "archive/store/archive.h"
#include "archive/store/index_check.h"

namespace vintage::archive {

inline constexpr std::string_view kRestoreIndex =
    "restore index.sqlite from a copy, or mirror what is readable into a new archive";

struct AskedDonor {
  const ContentDonor& donor;
  std::optional<Error> givenUp{};
};

struct FsckPasses {
  Archive& archive;
  const FsckOptions& options;
  const std::function<void(const FsckFinding&)>& report;
  FsckSummary summary;
  std::vector<FsckFinding> access{};  // Owners and modes, found before the archive was opened.
  std::vector<AskedDonor> donors{};
  // And not healed. Then nothing is repaired: what is written by a damaged index may
  // end up in place of something else.
  bool indexDamaged = false;

  std::string indexPath() const { return archive::indexPath(archive); }
  // A row of the index, or a table of it.
  std::string rowPlace(std::string_view table, int64_t row = 0) const {
    return fmt::format("{}, table {}{}", indexPath(), table,
                       row != 0 ? fmt::format(", row {}", row) : "");
  }

  // Adds who is affected, counts and reports.
  Status add(FsckFinding finding);
  // Where SQLite cannot read on: a finding (the first of many in a pass), and
  // checking goes on. Any other error is returned.
  Status addUnreadable(const std::string& where, const Error& error);
  int unreadable = 0;  // In this pass.
  bool mayRepair() const { return options.repair && !indexDamaged; }
  void progress(std::string_view what, int64_t done, int64_t total) const;
};

// Heals the content of one pass: from what lies in the archive itself, or from other archives.
//
// Copies in the archive heal at once. Other archives may be far away, and an
// archive that lost a folder lacks 100,000 contents: a request for each would take
// as many round trips. So findings wait until there are many, or until the pass
// ends. Then Healing asks a donor for all of them together (a service sends
// streams of many, a bucket several at a time), keeps them in few transactions,
// and reports them.
//
// Rejected: asking at the end of each page of rows. Contents are spread over
// the pages by when they came, so one folder of 256 is less than one content of
// a page. Asking after the check: memory would grow with the damage.
class Healing {
 public:
  explicit Healing(FsckPasses& checker) : checker_(checker) {}

  // Reports the finding, now or with others later, and heals it if that is possible
  // and requested. If nothing `needed` the content, no donor is asked, and the
  // finding keeps its remedy for a person.
  Status add(FsckFinding finding, bool needed);
  // Reports what still waits. Call it at the end of the pass.
  Status finish();

 private:
  struct Answer {
    bool healed = false;
    std::string text;  // From where, or why not.
  };
  struct Arrived {
    ContentId id;
    std::vector<std::byte> bytes;
  };
  // From what is stored here. False: no copy of it is whole.
  Result<bool> healFromHere(FsckFinding& finding);
  // All that is not answered yet.
  Status ask(AskedDonor& donor);
  Status keep(std::vector<Arrived>& arrived, const std::string& donor);
  Status heal(std::span<const HashedContent> contents);
  void refuse(const ContentId& id, const std::string& why);

  FsckPasses& checker_;
  std::vector<FsckFinding> waiting_;
  std::map<ContentId, Answer> answers_;  // For what waits.
};

// One pass each. An error means that checking failed; damage is a finding.
Status checkPages(FsckPasses& checker);  // First: decides whether anything is repaired.
Status checkReferences(FsckPasses& checker);
Status checkSearchTerms(FsckPasses& checker);
Status checkRecords(FsckPasses& checker);
Status checkDictionaries(FsckPasses& checker);  // Before the blobs that need them.
Status checkBlobs(FsckPasses& checker);
Status checkFiles(FsckPasses& checker);
Status checkAccess(FsckPasses& checker);
// The lists that the key of the options signed; nothing without one.
Status checkSigned(FsckPasses& checker);

}  // namespace vintage::archive
