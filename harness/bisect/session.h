// A whole bisect: over the archive's builds, then over commits, then to the
// operation. What `vintage bisect` does, without its options and its printing.
#pragma once

#include <functional>
#include <string>

#include "archive/store/archive.h"
#include "golden/base/date.h"
#include "golden/base/result.h"
#include "harness/bisect/bisect_report.h"
#include "harness/bisect/commits.h"
#include "harness/bisect/sequence.h"

namespace vintage::harness {

struct BisectOptions {
  SubjectChoice choice;
  SequenceChoice ends;
  CommitRecipe commits;  // Without a repository: builds only.
  SearchOptions search;
  WorkerLimits limits;
  bool fresh = false;  // Nothing that was asked before counts.
  bool localize = false;
  std::string reference;  // For localize: a build, or "engine"; empty: the last good one.
  std::string commandLine;
  Date today{};
};

struct BisectResult {
  int exitStatus = 0;      // docs/bisect.md
  std::string text;        // To paste into a bug report.
  nlohmann::json record;   // The same as data.
  std::string recordPath;  // Where the record lies.
};

// `note` gets a line for each step. An error is a wrong call, or one of the archive.
Result<BisectResult> bisect(const BisectOptions& options, archive::Archive& archive,
                            const std::function<void(const std::string&)>& note);

}  // namespace vintage::harness
