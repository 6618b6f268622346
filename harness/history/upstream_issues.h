// Issues of JAX that explain a break: harness/history/upstream_issues.json, compiled in.
#pragma once

#include "harness/history/history.h"
#include "harness/history/room.h"

namespace vintage::harness::history {

// Fills in the issue where one of the list fits the break.
void nameUpstreamIssue(Break& found);

}  // namespace vintage::harness::history
