#include "harness/verdict/verdict.h"

#include <algorithm>

namespace vintage::harness::verdict {

std::string_view verdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNothingRan: return "nothing ran";
    case Verdict::kHolds: return "holds";
    case Verdict::kNothingPassed: return "nothing passed";
    case Verdict::kCannotTell: return "cannot tell";
    case Verdict::kBroken: return "broken";
  }
  return "";
}

int exitStatus(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNothingRan: return 4;
    case Verdict::kHolds: return 0;
    case Verdict::kNothingPassed:
    case Verdict::kBroken: return 1;
    case Verdict::kCannotTell: return 3;
  }
  return 3;
}

Verdict stronger(Verdict one, Verdict other) { return std::max(one, other); }

Verdict verdictOf(const PairCounts& counts) {
  if (counts.failed > 0 && counts.passed > 0) return Verdict::kBroken;
  if (counts.unknown > 0) return Verdict::kCannotTell;
  if (counts.passed > 0) return Verdict::kHolds;
  return counts.failed + counts.expectedFailures > 0 ? Verdict::kNothingPassed
                                                     : Verdict::kNothingRan;
}

}  // namespace vintage::harness::verdict
