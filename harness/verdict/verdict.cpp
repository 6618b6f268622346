#include "harness/verdict/verdict.h"

#include <algorithm>

namespace vintage::harness::verdict {

std::string_view verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNothingRan:
      return "nothing ran";
    case Verdict::kHolds:
      return "holds";
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
  if (counts.failed > 0 && counts.passed > 0) return Verdict::kBroken;
  if (counts.unknown > 0) return Verdict::kCannotTell;
  if (counts.passed + counts.failed + counts.expectedFailures == 0) return Verdict::kNothingRan;
  if (counts.missing > 0) return Verdict::kCannotTell;
  return counts.passed > 0 ? Verdict::kHolds : Verdict::kNothingPassed;
}

}  // namespace vintage::harness::verdict
