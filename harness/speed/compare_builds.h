// Two builds measured in one go: their workers alternate on one core, artifact by artifact, until
// each ratio is known well enough or a limit is reached (docs/reference/speed.md).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "archive/records/measurement.h"
#include "archive/records/pair.h"
#include "archive/records/speed_report.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/message.h"
#include "harness/runtimes/sandbox.h"

namespace vintage::harness {

struct SpeedOptions {
  archive::MeasureRequest measure;
  // A ratio is known well enough where its interval contains none of these.
  std::vector<double> bounds{archive::SpeedReport::kWatched};
  double secondsForArtifact = 30;             // No round begins after so many.
  std::optional<int> core;                    // None: the last that this process may use.
  std::chrono::milliseconds timeout{60'000};  // One request.
  size_t memoryLimitBytes = size_t{8} << 30;
  SandboxUse sandbox = SandboxUse::kRecipes;
};

// An artifact with its inputs, its platform and its mode.
using LoadRequest = std::function<Result<ExecuteRequest>(const archive::ArtifactRecord& record)>;
// From an archive, which outlives it.
LoadRequest loadFrom(const archive::Archive& archive, std::string platform, std::string mode);

using SpeedProgress = std::function<void(size_t done, size_t total)>;

// `before` and `after` must have a start command. The failure of an artifact or of a worker is in
// the result; an error is one of `load`, or that the core cannot be chosen.
Result<archive::BuildComparison> compareBuilds(const archive::BuildRecord& before,
                                               const archive::BuildRecord& after,
                                               std::span<const archive::SharedRecord> artifacts,
                                               const LoadRequest& load, const SpeedOptions& options,
                                               ProcessHost& host, const SpeedProgress& progress);

}  // namespace vintage::harness
