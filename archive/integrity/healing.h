// Heals content: from what lies in the archive itself, or from other archives.
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
#pragma once

#include <map>
#include <string>
#include <vector>

#include "archive/integrity/fsck_passes.h"
#include "archive/integrity/room.h"

namespace vintage::archive::integrity {

// Heals the findings of one pass.
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

}  // namespace vintage::archive::integrity
