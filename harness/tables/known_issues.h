// Issues of other projects that explain a failure: harness/tables/known_issues.json, compiled in.
#pragma once

#include <string>
#include <string_view>

#include "harness/tables/room.h"

namespace vintage::harness::tables {

// The first of which the consumer's name begins as it says and the message holds its part; empty:
// none is known.
std::string knownIssue(std::string_view consumer, std::string_view message);

}  // namespace vintage::harness::tables
