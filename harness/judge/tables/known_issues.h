// Issues of other projects that explain a failure: harness/judge/tables/known_issues.json, compiled
// in.
#pragma once

#include <string>
#include <string_view>

namespace vintage::harness {

// The first of which the consumer's name begins as it says and the message holds its part; empty:
// none is known.
std::string knownIssue(std::string_view consumer, std::string_view message);

}  // namespace vintage::harness
