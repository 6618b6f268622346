// Builds measured beside each other for an archive: it keeps what was measured, and declares what
// of that is expected. The window, the night and the gate measure this way.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "archive/records/speed_report.h"
#include "archive/records/window_report.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/speed/compare_builds.h"

namespace vintage::harness {

// Two builds, and the artifacts that run on both.
struct SpeedPair {
  archive::BuildRecord before, after;
  // Names of the builds that are the same programs: what was measured of those counts.
  std::vector<std::string> sameAsBefore, sameAsAfter;
  std::string problem;  // Why nothing can be measured now; empty: it can.
  std::map<archive::PlaceKey, std::vector<archive::SharedRecord>> artifacts;
  size_t count() const;
};

// A catalogue has hundreds of small artifacts of one primitive: the one with the most bytes stands
// for them. Those of a size axis, and a user's own, which are of no primitive, all stay.
std::vector<archive::SharedRecord> speedSample(std::vector<archive::SharedRecord> records);

struct SpeedChoice {
  archive::SpeedPromise promise;
  Date today{};
  std::string archiveArgument;           // As it goes into commands.
  std::optional<SpeedOptions> measured;  // None: what is recorded is judged, and nothing started.
  bool rerun = false;                    // Recorded measurements are made again.
  std::string commandLine;
};

using MeasureProgress = std::function<void(const std::string& what, size_t done, size_t total)>;
// Measurements of two builds by earlier runs count. New ones are recorded in runs of the kind
// "speed", some artifacts at a time. A broken build is in the report; an error is one of the
// archive.
Result<archive::JudgedSpeed> measureSpeed(std::vector<SpeedPair> pairs, const SpeedChoice& choice,
                                          archive::Archive& archive, ProcessHost& host,
                                          const MeasureProgress& progress);

// The measurement that counts of an artifact, on a platform and in a mode.
using MeasuredUse = std::tuple<archive::ContentId, std::string, std::string>;
using NewestMeasurements = std::map<MeasuredUse, const archive::MeasuredArtifact*>;
// `comparison` is newer than what `newest` has, and outlives it.
void takeNewer(const archive::BuildComparison& comparison, NewestMeasurements& newest);

// The measurements of the archive's own runs; unreadable ones are left out.
Result<std::vector<archive::BuildComparison>> recordedComparisons(const archive::Archive& archive);

}  // namespace vintage::harness
