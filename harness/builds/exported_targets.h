// The custom-call targets that this build's exports call: read out of what the
// catalogue's lowerings write, so that no list has to be kept.
#pragma once

#include <set>
#include <string>

namespace vintage {

// Lowers, on every platform where it lowers, a static case for each primitive
// and list of dtypes and one for each primitive and other variant: once in the
// life of the program, and a few tenths of a second.
const std::set<std::string>& exportedTargets();

// The same out of the whole catalogue, which takes seconds: what the former must
// be equal to.
std::set<std::string> exportedTargetsOfAllCases();

}  // namespace vintage
