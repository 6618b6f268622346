// Issues of JAX that explain a break: harness/judge/history/upstream_issues.json, compiled in.
#pragma once

#include "harness/judge/history/history.h"

namespace vintage::harness {

// Fills in the issue where one of the list fits the break.
void nameUpstreamIssue(Break& found);

}  // namespace vintage::harness
