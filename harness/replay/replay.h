// Runs archived artifacts on a build, compares what comes out with their
// goldens, and records every outcome in the archive.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "archive/records/run_summary.h"
#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "harness/replay/accuracy_meter.h"
#include "harness/replay/phase_meter.h"
#include "harness/replay/plan.h"
#include "harness/runtimes/worker_pool.h"

namespace vintage::harness {

struct ReplayOptions {
  std::string run;              // RunRecord::id, recorded already.
  std::string archiveArgument;  // As it goes into the commands that reproduce.
  int workers = 2;
  archive::WindowPolicy policy = archive::jaxPolicy();  // Which pairs a promise covers.
  std::chrono::milliseconds timeout{60'000};
  size_t memoryLimitBytes = size_t{8} << 30;
  AccuracyMeter* accuracy = nullptr;  // Sees every result that is compared.
  PhaseMeter* phases = nullptr;       // Gets the parts of the present phase.
};

// `done` of `total` executions; called from the thread that replays.
using ReplayProgress = std::function<void(size_t done, size_t total, const archive::Pair& last)>;

// An outcome is recorded with the limitation that covers it: one of the plan's, or one that the
// archive declares of the build. Adds a pair for every record of the plan, everything that was
// skipped, and what broke the run as a whole (a worker that does not start, or that is another
// build than the one registered) to `summary`. An error is one of the archive: the outcomes until
// then are recorded.
Status replay(const ReplayPlan& plan, const archive::BuildRecord& build, const std::string& mode,
              const ReplayOptions& options, archive::Archive& archive, ProcessHost& host,
              const ReplayProgress& progress, archive::RunSummary& summary);

// Expected and actual outputs of one artifact under its comparators.
struct Judged {
  archive::OutcomeKind outcome = archive::OutcomeKind::kPass;  // Or kMismatch.
  std::string detail;
};
Judged compareWithGolden(const golden::Golden& golden, std::span<const golden::Tensor> actual);

}  // namespace vintage::harness
