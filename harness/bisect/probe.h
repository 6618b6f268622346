// Probes: one artifact, executed several times by fresh workers of one build or commit, with the
// result of each execution.
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/compare/golden.h"
#include "harness/bisect/search.h"
#include "harness/runtimes/worker_pool.h"

namespace vintage::harness {

// The artifact to execute and its expected outputs.
struct Subject {
  archive::ArtifactRecord record;
  std::vector<std::byte> artifact;
  golden::Golden golden;
  std::string platform, mode;
};

struct WorkerLimits {
  std::chrono::milliseconds timeout{60'000};
  size_t memoryLimitBytes = size_t{8} << 30;
  SandboxUse sandbox = SandboxUse::kRecipes;
};
// `registered`: the build that the command starts, where it is one of an archive.
WorkerPoolOptions poolOptions(const std::vector<std::string>& command, const WorkerLimits& limits,
                              const archive::BuildRecord* registered = nullptr);

// A probe with details for people.
struct ProbeReport {
  ProbeAnswer answer;
  // The last execution that failed; a pass where none did.
  archive::OutcomeKind outcome = archive::OutcomeKind::kRunnerError;
  archive::Stage stage = archive::Stage::kLoad;
  std::string detail;
  double seconds = 0;
};

// "mismatch of output 0", "error in compile: no such target #": equal for failures with the same
// cause. Numbers, addresses, quoted names, paths and the class of an exception are left out of a
// message.
std::string failureKind(archive::OutcomeKind outcome, archive::Stage stage,
                        const std::string& detail);

// Starts `command` in fresh processes and executes the subject in each. With `registered`, the
// worker must identify itself as that build. Never fails: errors become part of the report.
ProbeReport probeWorker(const Subject& subject, const std::vector<std::string>& command,
                        const archive::BuildRecord* registered, const ProbeEffort& effort,
                        const WorkerLimits& limits);

// The same of a build that the archive knows how to start.
ProbeReport probeBuild(const Subject& subject, const archive::BuildRecord& build,
                       const ProbeEffort& effort, const WorkerLimits& limits);

// Probes one position of a sequence. An error is independent of the position (a full disk). No two
// simultaneous probes have the same `slot`.
using ProbePosition =
    std::function<Result<ProbeReport>(size_t position, size_t slot, const ProbeEffort& effort)>;
// Probes each position on a thread of its own; calls `sink` on this thread as probes end. Returns
// an error of the sink or of a probe.
Status probeAtOnce(std::span<const size_t> positions, const ProbeEffort& effort,
                   const ProbePosition& probe,
                   const std::function<Status(size_t position, const ProbeReport&)>& sink);

}  // namespace vintage::harness
