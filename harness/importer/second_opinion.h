// What the oracle says of outputs that a producer recorded.
#pragma once

#include <string>

#include "golden/compare/golden.h"
#include "harness/importer/room.h"

namespace vintage::harness::importer {

// Where `primitive` is an element-wise function that the oracle knows and the golden holds its
// operands and its result, and the recorded result is further from the oracle's than its
// comparator allows: how far and where, in words. The comparator then allows that distance, in
// units in the last place, to both sides: a producer that computes less exactly does not make a
// consumer wrong that computes better. Beyond kMostForgivenUlps, and where values are exact, it
// stays as it is. Empty: nothing to say.
std::string askOracle(const std::string& primitive, Golden& golden);

inline constexpr int64_t kMostForgivenUlps = 4096;

}  // namespace vintage::harness::importer
