// The main job: exports and archives tonight's artifacts, replays the backward window on tonight's
// build and tonight's artifacts on the builds of the forward window, and judges the whole.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/records/run_summary.h"
#include "archive/records/scope.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/judge/nightly/generate.h"
#include "harness/judge/speed/measured_speed.h"
#include "harness/replay/replay.h"
#include "harness/runtimes/builds/environments.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {

// `total` is 0 where it is unknown.
using NightlyProgress = std::function<void(const std::string& phase, size_t done, size_t total)>;

// A real release of JAX beside tonight's build.
struct RealRelease {
  archive::BuildRecord build;  // Ready to be started.
  std::string producer;        // Of its artifacts: "jax 0.8.1".
  size_t exported = 0;         // Its artifacts.
  size_t added = 0;            // Of those: by this run.
  size_t refused = 0;          // Cases that it could not export.
};

// Where a night exports with real releases and runs artifacts, if not on this machine.
struct NightElsewhere {
  // As produce(), into the night's archive.
  std::function<Result<ProduceReport>(const archive::BuildRecord& release,
                                      const ProduceRequest& request)>
      exportWith;
  // Runs all that the night runs of the archive, and records it there as outcomes of `run`.
  std::function<Result<archive::RunNotes>(std::span<const RealRelease> releases,
                                          const std::string& run)>
      replay;
};

struct NightlyOptions {
  Date today{};
  std::string commandLine;
  std::vector<std::string> modes{"graph"};
  bool emulate = false;       // Tonight's artifacts for other platforms run here, too.
  ReplayOptions replay;       // `phases` measures the whole.
  std::string workerProgram;  // The embedded engine's.
  std::optional<SpeedOptions>
      speed;                // Measure tonight's engine and the releases (night_speed.cpp).
  bool exportCases = true;  // Otherwise only what is archived runs.
  // Real releases of JAX as consumers and producers beside tonight's build; none: no Python runs.
  std::optional<EnvironmentRequest> releases;
  std::optional<NightElsewhere> elsewhere;  // None: here.
  std::string kind = "nightly";             // Of the run that is recorded.
  // Which cases are exported, and which artifacts run. Empty: all.
  std::vector<std::string> primitives, variants, platforms;
  // The subject of the verdict. A platform that it does not name is judged where a consumer runs
  // it, and a promise where a registered build could keep it (docs/reference/verdicts.md).
  archive::Scope scope;
  bool wholeCatalogue() const {
    return primitives.empty() && variants.empty() && platforms.empty();
  }
};

struct NightlyResult {
  archive::RunSummary summary;
  bool exported = false;  // NightlyOptions::exportCases
  GenerateReport generated;
  std::string build;                   // Tonight's.
  std::vector<std::string> platforms;  // It runs these.
  archive::DateRange forwardWindow{};  // Of tonight's build.
  std::vector<RealRelease> releases;
  int buildsTried = 0, buildsSame = 0, buildsThatCannotStart = 0;  // Of the forward window.
};

// The run is recorded in the archive, with its outcomes; it is not finished
// there until finishNightly, so that the caller can add places to the summary.
Result<NightlyResult> runNightly(const NightlyOptions& options, archive::Archive& archive,
                                 ProcessHost& host, const NightlyProgress& progress);
Status finishNightly(const NightlyResult& result, archive::Archive& archive);

// The builds of a night, from which settleScope() finds what no build can run.
struct NightBuilds {
  const archive::BuildRecord& tonight;
  std::span<const RealRelease> releases;
  std::span<const archive::BuildRecord> registered;  // All that the archive knows.
  archive::DateRange forwardWindow;                  // Of tonight's build.
};

// Whether the release that exported the artifact cannot run it, for example as it lacks a target.
// The artifact then has no golden, and the night leaves it out.
bool isBeyond(const RealRelease& release, const archive::ArtifactRecord& record);

// Finds the artifacts that the night judges, and those that no build can run
// (docs/reference/verdicts.md, "Scope"). Call it after tonight's artifacts are archived and before
// anything runs.
Result<archive::RunScope> settleScope(const NightlyOptions& options, const NightBuilds& builds,
                                      const archive::Archive& archive);

// Tonight's engine beside the last night's, and each registered release beside the one before it,
// on a sample of the artifacts that pass on both (docs/reference/speed.md). `scope` gets why there
// is nothing to measure of the engine. A problem with a build is in the report.
Result<archive::JudgedSpeed> measureNight(const NightlyOptions& options,
                                          const archive::BuildRecord& tonight,
                                          archive::Archive& archive, ProcessHost& host,
                                          const NightlyProgress& progress,
                                          archive::RunScope& scope);

}  // namespace vintage::harness
