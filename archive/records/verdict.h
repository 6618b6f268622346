// The verdict on the pairs under a promise: of a run, of a window, and of each promise in them.
// docs/reference/verdicts.md says how each verdict comes about, and which outweighs which.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/records/pair.h"

namespace vintage::archive {

// From the weakest to the strongest, but for kNothingRan: see together().
enum class Verdict {
  kNothingRan,
  kHolds,
  kCompiles,       // As kHolds, but some pairs were only compiled.
  kNothingPassed,  // Pairs ran, and not one passed: nothing was shown to hold.
  kCannotTell,  // Something in scope is not known: a consumer broke, a build or golden is missing.
  kBroken,      // A pair fails that no limitation covers.
};
// "nothing ran", "holds", "compiles", "nothing passed", "cannot tell", "broken"
std::string_view verdictName(Verdict verdict);
// 4, 0, 0, 1, 3, 1: the exit status of the command line.
int exitStatus(Verdict verdict);
// When it is given, as docs/reference/verdicts.md says it: "something in scope is missing".
std::string_view verdictMeaning(Verdict verdict);

// The verdict of two parts that both had to be shown. A failure in one part counts
// whatever is missing in the other, and a part that holds does not make up for a missing one. So
// where nothing ran in one part only, the whole cannot tell.
Verdict together(Verdict one, Verdict other);

// The tally holds the pairs of one promise, or of a whole run. Untested pairs had to run and did
// not. `missing` counts places where nothing could run: a platform without a consumer, an artifact
// without a golden. Where nothing ran elsewhere either, nothing ran.
//
// Where all fail and nothing is unknown or missing it is kNothingPassed rather than kBroken:
// then one cause in the consumer is likelier than many broken artifacts.
Verdict verdictOf(const Tally& tally, int64_t missing = 0);

// The end of an answer. Every output gives this one, and none is greener: text, JSON, JUnit, the
// exit status, the row of the run that the dashboard shows, and Python.
struct Conclusion {
  Verdict verdict = Verdict::kNothingRan;
  // A sentence, and then what broke and what is missing.
  std::vector<std::string> reasons;
};
// The numbers in a verdict's sentence.
struct Counted {
  Tally tally;
  int64_t ran = 0, skipped = 0;  // Pairs.
  int64_t missing = 0;           // Parts of the scope.
  int64_t breakages = 0;
};
// `details` say what broke and what is missing; the sentence comes before them.
Conclusion conclude(Verdict verdict, const Counted& counted, std::vector<std::string> details);

}  // namespace vintage::archive
