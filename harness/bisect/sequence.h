// The subject that a bisect executes, and the dated builds of one product in their order, with the
// outcomes known for them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "harness/bisect/journal.h"
#include "harness/bisect/probe.h"
#include "harness/bisect/search.h"

namespace vintage::harness {

struct SubjectChoice {
  std::string artifact;  // An id, a prefix, a name, or NAME@PRODUCER.
  std::string caseId;    // Or a case: its newest artifact for `platform`.
  std::string platform;  // Empty: the first that a build runs.
  std::string mode;      // Empty: graph where `build` has it, else its first.
  std::string build;     // A build of the search; empty: the newest that runs the platform.
};

// kUsage where the artifact has no golden, or was not lowered for the platform.
Result<Subject> loadSubject(const archive::Archive& archive, const SubjectChoice& choice);

struct BuildSequence {
  std::vector<archive::BuildRecord> builds;  // From the oldest on (archive/records/records.h).
  SearchProblem problem;
  std::vector<SequenceMember> members() const;
};

// A build's name, and the identity of the command that starts its worker.
SequenceMember memberOf(const archive::BuildRecord& build);

// The builds of the product that `good` and `bad` name; without them, of the newest build that can
// be started. Both are names of builds, or dates, which stand for the newest build on or before the
// day.
struct SequenceChoice {
  std::string good, bad;  // Empty: not given.
};
// The product is that of a named end, else that of the newest build that can start and has the
// subject's platform and mode.
Result<BuildSequence> chooseBuilds(const archive::Archive& archive, const Subject& subject,
                                   const SequenceChoice& choice);

// The outcomes of the subject that replays, windows and nightly runs recorded. `journaled`: the
// runs whose outcomes a journal holds in more detail.
Result<std::vector<Round>> recordedOutcomes(const archive::Archive& archive, const Subject& subject,
                                            const BuildSequence& sequence,
                                            const std::set<std::string>& journaled);

}  // namespace vintage::harness
