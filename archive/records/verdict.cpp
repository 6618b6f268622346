#include "archive/records/verdict.h"

#include <algorithm>

namespace vintage::archive {

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

Verdict verdictOf(const Tally& tally, int64_t missing) {
  const int64_t compiled = tally[Cell::kCompiled], good = tally.passed() + compiled;
  const int64_t failed = tally[Cell::kFail];
  if (failed > 0 && good > 0) return Verdict::kBroken;
  if (tally[Cell::kUntested] + tally[Cell::kRunnerError] > 0) return Verdict::kCannotTell;
  if (good + failed + tally[Cell::kExpectedFailure] == 0) return Verdict::kNothingRan;
  if (missing > 0) return Verdict::kCannotTell;
  if (good == 0) return Verdict::kNothingPassed;
  return compiled > 0 ? Verdict::kCompiles : Verdict::kHolds;
}

}  // namespace vintage::archive
