// What the pairs under a promise show: the one verdict of Vintage, of a run, of a
// window, and of each promise in them.
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/verdict/room.h"

namespace vintage::harness::verdict {

// From the weakest to the strongest: of several verdicts the strongest is that of
// the whole. A failure that was seen stays a failure, whatever else could not be
// told; what could not be told is not made good by what holds.
enum class Verdict {
  kNothingRan,
  kHolds,
  kNothingPassed,  // Pairs ran, and not one passed: nothing was shown to hold.
  kCannotTell,     // Something that had to be known is not: a consumer broke, a build is missing.
  kBroken,         // A pair fails that no limitation covers.
};
// "nothing ran", "holds", "nothing passed", "cannot tell", "broken"
std::string_view verdictName(Verdict verdict);
// 4, 0, 1, 3, 1: the exit status of the command line.
int exitStatus(Verdict verdict);

// The verdict of two parts together.
Verdict stronger(Verdict one, Verdict other);

// How the pairs of one promise, or of a whole run, ended.
struct PairCounts {
  int64_t passed = 0;            // Those too that a limitation expected to fail.
  int64_t expectedFailures = 0;  // Covered by a limitation.
  int64_t failed = 0;
  int64_t unknown = 0;           // Had to run and did not, or the consumer broke.
};
// Where all fail and nothing is unknown it is kNothingPassed rather than kBroken:
// then one cause in the consumer is likelier than many broken artifacts.
Verdict verdictOf(const PairCounts& counts);

}  // namespace vintage::harness::verdict
