// A window's speed: neighbouring releases measured beside each other on what they can both run.
#pragma once

#include <vector>

#include "archive/records/speed_report.h"
#include "archive/store/archive.h"
#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/judge/window/run_window.h"

namespace vintage::harness {

// The measurements of all runs; unreadable ones are left out.
Result<std::vector<archive::BuildComparison>> recordedComparisons(const archive::Archive& archive);

// Measures each consumer beside the one before it of the same product, on the contents that pass on
// both and that a promise covers on the later one (with Beyond::kAll all that pass). Measurements
// of earlier runs count, unless `options` asks for new ones. New ones are recorded in runs of the
// kind "speed", some artifacts at a time. A breakage is in the report; an error is one of the
// archive.
Result<archive::SpeedReport> measureWindow(const WindowOptions& options, archive::Archive& archive,
                                           const std::vector<Consumer>& consumers,
                                           ProcessHost& host, const WindowProgress& progress);

}  // namespace vintage::harness
