// Pairs of a run: from an outcome that was just seen, or from what the archive has.
#pragma once

#include <string>

#include "archive/records/run_summary.h"
#include "archive/store/archive.h"
#include "harness/replay/plan.h"
#include "harness/replay/replay.h"

namespace vintage::harness {

// The report's entry for a record of `job` whose execution on `build` ended in `outcome`.
archive::Pair pairOf(const ReplayJob& job, const archive::SharedRecord& record,
                     const archive::BuildRecord& build, const archive::OutcomeRecord& outcome,
                     const ReplayOptions& options);

// What the plan leaves out, into the summary.
void addLeftOut(const ReplayPlan& plan, const archive::BuildRecord& build,
                const ReplayOptions& options, archive::RunSummary& summary);

// Fills `summary` as replay() does, and runs nothing: the archive has the outcomes of this run.
// Returns how many jobs have none; those get no pair.
Result<size_t> addRecorded(const ReplayPlan& plan, const archive::BuildRecord& build,
                           const std::string& mode, const ReplayOptions& options,
                           const archive::Archive& archive, archive::RunSummary& summary);

}  // namespace vintage::harness
