// The executions of a plan, on workers of one build, and their comparison with the goldens.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>

#include "archive/records/limitation.h"
#include "archive/records/window_policy.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "golden/compare/golden.h"
#include "harness/replay/accuracy_meter.h"
#include "harness/replay/phase_meter.h"
#include "harness/replay/plan.h"
#include "harness/runtimes/sandbox.h"

namespace vintage::harness {

struct ReplayOptions {
  std::string archiveArgument;  // As it goes into the commands that reproduce.
  std::string label;            // The recorded run gets it; empty: none.
  int workers = 2;
  archive::WindowPolicy policy = archive::jaxPolicy();  // Which pairs a promise covers.
  std::chrono::milliseconds timeout{60'000};
  size_t memoryLimitBytes = size_t{8} << 30;
  SandboxUse sandbox = SandboxUse::kRecipes;
  AccuracyMeter* accuracy = nullptr;  // Sees every result that is compared.
  PhaseMeter* phases = nullptr;       // Gets the parts of the present phase.
};

struct PlanOnBuild {
  const ReplayPlan& plan;  // Has at least one job.
  const archive::BuildRecord& build;
  const ReplayChoice& choice;                     // The plan was made by it.
  const std::string& run;                         // RunRecord::id, recorded already.
  std::span<const archive::Limitation> declared;  // By the archive, beside those of the choice.
  const ReplayOptions& options;
};

// Called from the thread that replays, as the executions end; the outcome is recorded soon after.
using TakeOutcome =
    std::function<void(const ReplayJob& job, const archive::OutcomeRecord& outcome)>;

// Records each outcome, with the limitation that covers it. Returns what broke the whole: a worker
// that does not start, or that is another build than the one registered; empty: nothing did. An
// error is one of the archive; the outcomes until then are recorded.
Result<std::string> executePlan(const PlanOnBuild& chosen, archive::Archive& archive,
                                ProcessHost& host, const TakeOutcome& take);

// Expected and actual outputs of one artifact under its comparators, and within the noise of its
// golden: a pass, a mismatch, or not comparable.
struct Judged {
  archive::OutcomeKind outcome = archive::OutcomeKind::kPass;
  std::string detail;  // As OutcomeRecord::detail.
};
// `build` gave the outputs. The golden's second opinion vouches for builds of other products only.
Judged compareWithGolden(const golden::Golden& golden, std::span<const golden::Tensor> actual,
                         const archive::BuildRecord& build = {});

}  // namespace vintage::harness
