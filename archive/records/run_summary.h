// A run of the harness as its reports tell it: pairs, what could not run, and what broke.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/records/pair.h"
#include "archive/records/scope.h"
#include "archive/records/speed_report.h"
#include "archive/records/verdict.h"

namespace vintage::archive {

// An operation that failures of a run have in common.
struct Suspect {
  std::string operation;  // "stablehlo.compare EQ", "stablehlo.reduce over stablehlo.add"
  size_t failing = 0;     // Failing artifacts that hold it and no earlier suspect explains.
  size_t holding = 0;     // Artifacts of the run that hold it.
  double chance = 0;      // The probability of such failures by chance, over all operations tried.
  // The primitives of the smallest of those programs: where to look first. Sorted.
  std::vector<std::string> primitives;
  std::string simplest;  // Name of one of them.
};

// How far results lie from the oracle's, by primitive and dtype.
//
// Distances are whole units in the last place of the result's type (golden/tensor/
// ulps.h) from the oracle's correctly rounded value; of complex numbers, whose
// parts can cancel, units of the modulus where those are fewer.
struct AccuracyRow {
  std::string primitive;  // "sin"; "sin (vjp)": of the exports with its derivative.
  std::string dtype;      // The result's, in StableHLO's spelling.
  std::string platform, mode;
  int64_t elements = 0;
  int64_t differing = 0;    // Among those.
  int64_t largestUlps = 0;  // kFarApart: a NaN or an infinity is wrong.
  int64_t finite = 0;       // Elements at a finite distance.
  double meanUlps = 0;      // Over those.
  // The widest bound in ulps that a case of this row declares; none where its
  // cases are bounded otherwise (relative to the largest element, …).
  std::optional<int64_t> allowedUlps;
  // Where the largest error is; empty where nothing differs.
  std::string name;   // The artifact's.
  std::string place;  // "output 0 [3,1]"
  std::string input;  // The operands' elements at that place, where they have one.
  std::string expected, actual;
};

// The cost of a phase of a run.
//
// Phases follow each other, so their wall times add up. The parts of a phase overlap on threads and
// processes: their busy times add up to more than the wall time where several work at once, and to
// less where all of them wait.
struct RunPhase {
  struct Part {
    std::string name;  // "goldens"
    double busySeconds = 0;
  };
  std::string name;  // "export"
  double wallSeconds = 0;
  std::vector<Part> parts;
};

// Something that a promise has to show, but nothing of it can run.
struct MissingPart {
  std::string promise;  // Empty: of the run as a whole.
  Unjudged part;
};
// A build that a promise covers and that is the same program as `build`: its pairs stand for
// the other's.
struct SameProgram {
  std::string promise, producer, build;
  int builds = 0;
};

// The subject of a run.
struct RunScope {
  std::string text;  // As scopeText() has it; empty: what was chosen.
  // Promises that the run judges. It reports the pairs of the other promises, and
  // does not judge whether these hold.
  std::vector<std::string> promises;
  std::vector<MissingPart> missing;
  std::vector<Unjudged> leftOut;
  std::vector<SameProgram> samePrograms;
};

struct RunSummary {
  RunRecord run;        // As it began.
  std::string archive;  // The folder.
  Date today{};
  double seconds = 0;
  std::vector<Pair> pairs;
  // Pairs that were chosen and not run: `detail` of the outcome says why. None passes: it is
  // missing, unless the outcome names the limitation that declares that it is not even tried.
  std::vector<Pair> skipped;
  RunScope scope;
  // Reasons why the run as a whole broke: a consumer that did not start, a lost archive. With any
  // of these the run cannot tell, whatever passed.
  std::vector<std::string> breakages;
  // Declared limitations that matched nothing that ran or was skipped: errors
  // in the declarations. They do not change the verdict.
  std::vector<std::string> unmatchedLimitations;
  // Declared limitations of consumers that are no longer needed, a line each. They do not change
  // the verdict either.
  std::vector<std::string> needlessLimitations;
  // Operations that the failures have in common, the most suspect first. Empty although artifacts
  // failed: nothing points to one operation.
  std::vector<Suspect> suspects;
  std::vector<AccuracyRow> accuracy;  // Empty where it was not measured.
  std::vector<RunPhase> phases;       // In their order; empty where nobody measured.
  std::optional<JudgedSpeed> speed;   // None: nobody asked for it.
  // Where things lie, as (what, path): "limitation tables", "junit".
  std::vector<std::pair<std::string, std::string>> places;
};

// One promise of a run, as it ended.
struct PromiseAnswer {
  std::string promise;
  Verdict verdict = Verdict::kNothingRan;
  Tally tally;
};

// Facts that an archive keeps of a run, which its outcomes do not hold.
struct RunNotes {
  std::string measuredOn;  // The build whose accuracy it is; empty: none was measured.
  std::vector<AccuracyRow> accuracy;
  std::vector<std::string> breakages;
  std::vector<std::string> reasons;  // The conclusion's.
  std::vector<PromiseAnswer> promises;
};

// How the pairs ended.
struct RunCounts {
  Tally tally;  // Skipped pairs count as untested.
  std::map<OutcomeKind, int64_t> outcomes;
  std::map<std::pair<OutcomeKind, Stage>, int64_t> stages;  // Those that did not pass.
  std::map<FailureClass, int64_t> failures;                 // Declared or not.
};
RunCounts countPairs(const RunSummary& summary);

// Judges all pairs, together with each promise that the run has to show, and with what a policy
// promises of speed. A breakage and a runner error count as unknown, what was skipped undeclared as
// missing.
Verdict verdictOf(const RunSummary& summary);
// The same for the pairs of one promise.
Verdict verdictOf(const RunSummary& summary, std::string_view promise);
// The verdict of all, with its reasons; `counts` are the run's.
Conclusion conclusionOf(const RunSummary& summary, const RunCounts& counts);
// `measuredOn`: whose accuracy it is, or empty.
RunNotes notesOf(const RunSummary& summary, std::string measuredOn);
// Of a pair that was skipped: a limitation says that it is not even tried.
inline bool isDeclared(const Pair& skip) { return !skip.outcome.limitation.empty(); }
// Those that it has to show, and those of its pairs.
std::vector<std::string> promisesOf(const RunSummary& summary);
// How much had to run and did not: parts of the scope, and pairs that were skipped undeclared.
int64_t missingParts(const RunSummary& summary);

}  // namespace vintage::archive
