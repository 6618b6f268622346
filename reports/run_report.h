// The verdict of a run, for people and for programs.
//
// The harness fills a RunSummary; everything said here comes from it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/store/records.h"
#include "harness/verdict/cell.h"
#include "harness/verdict/failure_class.h"
#include "harness/verdict/scope.h"
#include "harness/verdict/verdict.h"
#include "reports/accuracy.h"
#include "reports/room.h"
#include "reports/run_phase.h"

namespace vintage::reports {

// What failures of a run have in common.
struct Suspect {
  std::string operation;  // "stablehlo.compare EQ", "stablehlo.reduce over stablehlo.add"
  size_t failing = 0;     // Failing artifacts that hold it and no earlier suspect explains.
  size_t holding = 0;     // Artifacts of the run that hold it.
  // The primitives of the smallest of those programs: where to look first. Sorted.
  std::vector<std::string> primitives;
  std::string simplest;  // Name of one of them.
};

// One artifact on one build, platform and mode, with how it ended.
struct ReplayedPair {
  std::string name;  // ArtifactRecord::name
  ContentId artifact;
  std::string producer;
  Date artifactBuildDate{};
  std::string build;  // The consumer: BuildRecord::name
  Date consumerBuildDate{};
  std::string platform, mode;
  std::string promise;  // "backward", "forward"; empty: neither covers the pair.
  OutcomeKind outcome = OutcomeKind::kPass;
  Stage stage = Stage::kCompare;
  std::string detail;  // The error, or the first difference.
  double seconds = 0;
  // Id of the declared limitation that matched: the use, and the kind of failure; empty: none.
  std::string limitation;
  std::string command;  // Reproduces it: "vintage replay --archive A …".
};

// What was chosen and not run, with the reason. Never counted as passing: unless a
// limitation declares it, it is missing.
struct SkippedPair {
  std::string name;
  ContentId artifact;
  std::string build, platform, mode;
  std::string reason;     // "limitation eigh-bf16: …", "TensorFlow SavedModel", …
  bool declared = false;  // A limitation says that it is not even tried.
  Date artifactBuildDate{};
  std::string promise{};  // As a pair's.
};

// Something that a promise has to show, and of which nothing can run.
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

struct RunSummary {
  std::string run;   // RunRecord::id
  std::string kind;  // "nightly", "replay"
  std::string commandLine;
  std::string archive;  // The folder.
  Date today{};
  std::string started;  // UTC, "2026-11-20T21:50:00Z"
  double seconds = 0;
  std::vector<ReplayedPair> pairs;
  std::vector<SkippedPair> skipped;
  std::string scope;  // As scopeText() has it; empty: what was chosen.
  // Promises that the run has to show. Of others it says what their pairs show, and
  // whether they hold is not its question.
  std::vector<std::string> judgedPromises;
  std::vector<MissingPart> missing;
  std::vector<Unjudged> outOfScope;
  std::vector<SameProgram> samePrograms;
  // What broke the run as a whole: a consumer that did not start, a lost
  // archive. With any of these the run cannot tell, whatever passed.
  std::vector<std::string> breakages;
  // Declared limitations that matched nothing that ran or was skipped: errors
  // in the declarations. They do not change the verdict.
  std::vector<std::string> unmatchedLimitations;
  // What is declared of consumers and not needed any more, a line each. They do not either.
  std::vector<std::string> needlessLimitations;
  // What the failures have in common, the most suspect operation first.
  std::vector<Suspect> suspects;
  std::vector<AccuracyRow> accuracy;  // Empty where it was not measured.
  std::vector<RunPhase> phases;       // In their order; empty where nobody measured.
  // Where things lie, as (what, path): "limitation tables", "junit".
  std::vector<std::pair<std::string, std::string>> places;
};

struct RunCounts {
  int64_t ran = 0;                          // pairs.size()
  std::array<int64_t, kCellCount> cells{};  // By judge(); kUntested holds the skipped.
  std::map<OutcomeKind, int64_t> outcomes;
  std::map<std::pair<OutcomeKind, Stage>, int64_t> stages;  // Those that did not pass.
  std::map<FailureClass, int64_t> failures;
  int64_t operator[](Cell cell) const { return cells[static_cast<size_t>(cell)]; }
};
RunCounts countPairs(const RunSummary& summary);

// Judges all pairs, together with each promise that the run has to show. A breakage and a runner
// error count as unknown, what was skipped undeclared as missing.
Verdict verdictOf(const RunSummary& summary);
// The same for the pairs of one promise.
Verdict verdictOf(const RunSummary& summary, std::string_view promise);

// One entry for each cause. `longest` bounds the causes that it lists; it counts the pairs of the
// others.
std::string runReportText(const RunSummary& summary, size_t longest = 50);
// Complete, deterministic, with "format": "vintage run report", "version": 1.
std::string runReportJson(const RunSummary& summary);

}  // namespace vintage::reports
