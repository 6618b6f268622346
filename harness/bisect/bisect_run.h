// The records that a bisect leaves in the archive, beside its journal: a run of kind "bisect", an
// outcome for each build that it probed, and its journals in the run's verdict. Outcomes and runs
// travel with every push, pull and merge of the archive, so no question is asked twice.
//
//   {"format": "vintage bisect", "version": 1,
//    "subject": {"artifact": …, "golden": …, "platform": …, "mode": …},
//    "journals": {"builds": [lines]},     harness/bisect/journal.h
//    "record": {…}}                       what --format json prints
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"

namespace vintage::harness {

// The run of one bisect. It begins with the first outcome: a bisect that only uses remembered
// answers records no run.
class BisectRun {
 public:
  BisectRun(archive::Archive& archive, const Subject& subject, std::string commandLine, Date today);

  // Its id; begins the run if necessary.
  Result<std::string> begin();
  bool begun() const { return !id_.empty(); }
  // Durable when it returns. A build that did not start has no outcome.
  Status keepOutcome(const std::string& build, const ProbeReport& report);
  // `journals` by the name of their sequence ("builds"). Does nothing if the run has not begun.
  Status finish(const std::map<std::string, nlohmann::json>& journals,
                const nlohmann::json& record);

 private:
  archive::Archive& archive_;
  const Subject& subject_;
  std::string commandLine_;
  Date today_;
  std::string id_;
};

// The lines of the journals over `what` that bisects of the subject left, the newest first.
// Anything else in a run's verdict is ignored: others may write runs, and a search can always ask
// again.
Result<std::vector<ArchivedJournal>> archivedJournals(const archive::Archive& archive,
                                                      const Subject& subject,
                                                      const std::string& what);

}  // namespace vintage::harness
