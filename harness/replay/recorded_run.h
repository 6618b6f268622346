// A run executes archived artifacts on builds, compares their outputs with their goldens, and
// records every outcome in the archive. The night, the window and `vintage replay` are such runs.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>

#include "archive/records/limitation.h"
#include "archive/records/run_summary.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/replay/plan.h"
#include "harness/replay/replay.h"

namespace vintage::harness {

// `done` of `total` executions; called from the thread that replays.
using ReplayProgress = std::function<void(size_t done, size_t total, const archive::Pair& last)>;

// Used by one thread. References and limitations that it gets must outlive it.
class RecordedRun {
 public:
  // Records that a run of this kind began now.
  static Result<RecordedRun> begin(const std::string& kind, const std::string& commandLine,
                                   Date today, std::span<const archive::Limitation> limitations,
                                   ReplayOptions options, archive::Archive& archive,
                                   ProcessHost& host);

  // Executes those of `records` that can run on the build as chosen; today and limitations are the
  // run's. Records each outcome with the limitation that covers it, a given one or one that the
  // archive declares of the build. Adds to the summary a pair for every record, the skipped ones
  // and those out of scope, and a breakage of the whole (a worker that does not start, or that is
  // another build than the registered one). An error is one of the archive; earlier outcomes are
  // recorded.
  Status execute(std::span<const archive::SharedRecord> records, const archive::BuildRecord& build,
                 ReplayChoice choice, const ReplayProgress& progress);
  // Fills the summary as execute() does, and runs nothing: the archive has the outcomes of this
  // run. Returns how many executions have none; those get no pair.
  Result<size_t> takeRecorded(std::span<const archive::SharedRecord> records,
                              const archive::BuildRecord& build, ReplayChoice choice);
  // Ids of the limitations that covered something, whether it ran or not.
  const std::set<std::string>& matchedLimitations() const { return matched_; }

  archive::RunSummary summary;
  ReplayOptions options;

 private:
  RecordedRun(ReplayOptions chosen, archive::Archive& archive, ProcessHost& host)
      : options(std::move(chosen)), archive_(&archive), host_(&host) {}

  ReplayPlan plan(std::span<const archive::SharedRecord> records, const archive::BuildRecord& build,
                  ReplayChoice& choice);
  void add(const ReplayJob& job, const archive::BuildRecord& build,
           const archive::OutcomeRecord& outcome);

  archive::Archive* archive_;
  ProcessHost* host_;
  std::span<const archive::Limitation> limitations_;
  std::set<std::string> matched_;
};

}  // namespace vintage::harness
