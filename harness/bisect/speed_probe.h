// Probes that ask how fast a build is, beside one that is known to be fast.
#pragma once

#include "archive/records/speed_promise.h"
#include "golden/base/result.h"
#include "harness/bisect/probe.h"
#include "harness/speed/compare_builds.h"

namespace vintage::harness {

// Whether a quantity is larger by so many times.
struct SpeedQuestion {
  archive::Quantity quantity = archive::Quantity::kRun;
  double bound = 2;
  SpeedOptions options;  // Its bounds are that one alone.
};

// Measures `build` beside `reference`, anew for each process of the effort. A comparison is as
// steady as many executions, and counts for all of its process; one that is not resolved says
// nothing. The report has the faults of a build; the error is that the core cannot be
// chosen. One at a time measures, however many call it.
Result<ProbeReport> probeSpeed(const Subject& subject, const archive::BuildRecord& reference,
                               const archive::BuildRecord& build, const SpeedQuestion& question,
                               const ProbeEffort& effort);

}  // namespace vintage::harness
