// Heals content: from what lies in the archive itself, or from other archives.
//
// What lies here heals at once. For the rest other archives are asked, which may
// be far away, and an archive that lost a folder lacks 100,000 contents: a
// question for each would take as many round trips. So such findings wait until
// there are many of them, or until the pass ends; then a donor is asked for all
// of them together (a service sends them as streams of many, a bucket several
// at a time), they are kept in few transactions, and told.
//
// Rejected: asking at the end of each page of rows. Contents are spread over
// the pages by when they came, so one folder of 256 is less than one content of
// a page. Asking after the check: memory would grow with the damage.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "archive/integrity/fsck_passes.h"
#include "archive/integrity/room.h"

namespace vintage::archive::integrity {

// Of one pass.
class Healing {
 public:
  explicit Healing(FsckPasses& checker) : checker_(checker) {}

  // Tells the finding, now or with others later: healed where that is possible
  // and wished for. Where nothing needs the content any more, donors are not
  // asked, and the finding's remedy is for a person.
  Status tell(FsckFinding finding, bool needed);
  // Tells what still waits. Belongs to the end of the pass.
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
  Status keepStaged(std::vector<StagedBlob> staged);
  void refuse(const ContentId& id, const std::string& why);

  FsckPasses& checker_;
  std::vector<FsckFinding> waiting_;
  std::map<ContentId, Answer> answers_;  // For what waits.
};

}  // namespace vintage::archive::integrity
