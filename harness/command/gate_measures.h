// `vintage gate --measure`: what findings say is tried with the releases that they name.
#pragma once

#include <string>
#include <vector>

#include "archive/records/runtime_description.h"
#include "archive/store/archive.h"
#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/gate/finding.h"
#include "harness/judge/history/export_and_run.h"

namespace vintage::harness {

// For each release whose exports findings are about: the cases that call the targets found, and
// the releases on which they are said to break or to run. Only for the CPU, which is what runs
// here. A finding about a version is shown by cases that call no target.
std::vector<ExportAndRun> whatWouldShow(const std::vector<Finding>& findings,
                                        const std::vector<archive::RuntimeDescription>& releases);

struct MeasureRequest {
  std::string root;  // Where environments are kept; empty: as docs/jax.md says.
  ReplayOptions replay;
  Date today{};
  std::string commandLine;
};

// Exports and runs that; the outcomes are in the archive then. What cannot be had is printed.
Status measureFindings(const std::vector<ExportAndRun>& wanted, const MeasureRequest& request,
                       archive::Archive& archive, Console& console);

}  // namespace vintage::harness
