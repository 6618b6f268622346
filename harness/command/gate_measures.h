// The tries of the gate: `--measure` what findings say, with the releases that they name; `--speed`
// how fast NEW is beside OLD.
#pragma once

#include <vector>

#include "archive/records/runtime_description.h"
#include "harness/gate/change.h"
#include "harness/judge/history/run_history.h"
#include "harness/judge/speed/measured_speed.h"

namespace vintage::harness {

// For each release whose exports findings are about: the cases that call the targets found, and
// the releases on which they are said to break or to run. Only for the CPU, which is what runs
// here. A finding about a version is shown by cases that call no target.
std::vector<ExportAndRun> whatWouldShow(const std::vector<Finding>& findings,
                                        const std::vector<archive::RuntimeDescription>& releases);

// NEW beside OLD on a sample of the window's artifacts (harness/judge/speed/measured_speed.h):
// those that no recorded run on either fails. `ends` are builds that can be started; a problem
// with one is in the result.
struct GateEnds {
  archive::BuildRecord before, after;
};
Result<archive::JudgedSpeed> measureEnds(const GateEnds& ends, const Change& change,
                                         const SpeedChoice& choice, archive::Archive& archive,
                                         ProcessHost& host, const MeasureProgress& progress);

}  // namespace vintage::harness
