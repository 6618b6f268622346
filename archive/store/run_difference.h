// The same pairs in two runs, and the failures of one run by primitive and build.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "archive/store/archive.h"
#include "archive/store/records.h"
#include "golden/base/result.h"

namespace vintage::archive {

// The names of builds that have outcomes of this run, sorted.
Result<std::vector<std::string>> buildsOfRun(const Archive& archive, const std::string& run);

struct RunOnBuild {
  std::string run, build;
};

// A pair that succeeded in one of two runs only, or that failed there as declared.
struct ChangedPair {
  std::string name, producer;  // An artifact's with that content.
  OutcomeRecord before, after;
};

// The pairs of two runs: the same content, golden, platform and mode. A pair *breaks* where it
// succeeded before and fails undeclared after; it is *mended* where it failed, declared or not, and
// succeeds after.
struct RunDifference {
  int64_t both = 0, onlyBefore = 0, onlyAfter = 0;
  int64_t broken = 0, mended = 0;
  std::vector<ChangedPair> changes;  // Broken ones first, then by name.
};
// `most` bounds the list of changes, not the counts. Found through the key of outcomes: a second
// for a million pairs. kNotFound names the build that is not kept.
Result<RunDifference> compareOutcomesOf(const Archive& archive, const RunOnBuild& before,
                                        const RunOnBuild& after, int64_t most);

// Undeclared failures of a run on one build whose artifacts name one primitive.
struct FailureGroup {
  std::string primitive;
  int64_t failures = 0;
  std::string artifact;   // Name of the example's.
  OutcomeRecord example;  // The first of them by the artifact's name. It names the build.
};
// Most failures first.
Result<std::vector<FailureGroup>> failuresOfRun(const Archive& archive, const std::string& run,
                                                int64_t most);

// The first run since which the outcomes of this pair on these builds all failed, up to the run of
// `outcome`. Probes of bisects do not count, nor what somebody else reported.
Result<std::string> failsSince(const Archive& archive, const OutcomeRecord& outcome,
                               std::span<const std::string> builds);

}  // namespace vintage::archive
