// `vintage gate --measure`: what findings say is tried with the releases that they name.
#pragma once

#include <vector>

#include "archive/records/runtime_description.h"
#include "harness/gate/change.h"
#include "harness/judge/history/run_history.h"

namespace vintage::harness {

// For each release whose exports findings are about: the cases that call the targets found, and
// the releases on which they are said to break or to run. Only for the CPU, which is what runs
// here. A finding about a version is shown by cases that call no target.
std::vector<ExportAndRun> whatWouldShow(const std::vector<Finding>& findings,
                                        const std::vector<archive::RuntimeDescription>& releases);

}  // namespace vintage::harness
