// What recorded runs say of findings: nothing is started for it.
#pragma once

#include "golden/base/result.h"
#include "harness/gate/change.h"
#include "harness/gate/finding.h"

namespace vintage::harness {

// Fills in `measured` of a finding that names artifacts and the runtimes that it breaks.
Status quoteRuns(const Change& change, Finding& finding);
// "measured on jax-0.6.0: 4 of 4 fail; lu_f32/cpu: 'No registered implementation …'"
std::string measuredText(const Finding& finding, const std::string& indent);
// A finding that only runs can decide is allowed where they went well, and breaks nothing then.
void judgeByRuns(Finding& finding);
// At least one recorded run went as the finding says, or none did although some ran. Where it
// says that the artifacts still run, every run has to.
bool isConfirmed(const Finding& finding);
bool isContradicted(const Finding& finding);

}  // namespace vintage::harness
