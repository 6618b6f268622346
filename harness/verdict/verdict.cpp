#include "harness/verdict/verdict.h"

#include <algorithm>

namespace vintage::harness::verdict {

std::string_view verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNothingRan:
      return "nothing ran";
    case Verdict::kHolds:
      return "holds";
    case Verdict::kCompiles:
      return "compiles";
    case Verdict::kNothingPassed:
      return "nothing passed";
    case Verdict::kCannotTell:
      return "cannot tell";
    case Verdict::kBroken:
      return "broken";
  }
  return "";
}

int exitStatus(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNothingRan:
      return 4;
    case Verdict::kHolds:
    case Verdict::kCompiles:
      return 0;
    case Verdict::kNothingPassed:
    case Verdict::kBroken:
      return 1;
    case Verdict::kCannotTell:
      return 3;
  }
  return 3;
}

Verdict together(Verdict one, Verdict other) {
  if (one == other) return one;
  const bool partly = one == Verdict::kNothingRan || other == Verdict::kNothingRan;
  return std::max({one, other, partly ? Verdict::kCannotTell : Verdict::kNothingRan});
}

Verdict verdictOf(const PairCounts& counts) {
  const int64_t good = counts.passed + counts.compiled;
  if (counts.failed > 0 && good > 0) return Verdict::kBroken;
  if (counts.unknown > 0) return Verdict::kCannotTell;
  if (good + counts.failed + counts.expectedFailures == 0) return Verdict::kNothingRan;
  if (counts.missing > 0) return Verdict::kCannotTell;
  if (good == 0) return Verdict::kNothingPassed;
  return counts.compiled > 0 ? Verdict::kCompiles : Verdict::kHolds;
}

}  // namespace vintage::harness::verdict
