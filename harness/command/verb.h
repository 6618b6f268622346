// A verb of the command line: `vintage VERB …`.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "golden/base/result.h"
#include "harness/command/console.h"

namespace vintage::harness {

// The exit statuses of every verb.
enum ExitStatus : int {
  kExitHolds = 0,  // It holds, or it was done.
  kExitDoesNotHold = 1,
  kExitWrongCall = 2,  // An option, an argument, a path that is not there.
  kExitCannotTell = 3,
  kExitNothingRan = 4,
  kExitNeedsReview = 5,  // The gate neither allows nor forbids; a person decides.
};
// As --help and the README list them.
inline constexpr std::pair<ExitStatus, const char*> kExitMeanings[] = {
    {kExitHolds, "it holds"},
    {kExitDoesNotHold, "it does not hold: a broken promise, a violation, a mismatch"},
    {kExitWrongCall, "the call is wrong"},
    {kExitCannotTell,
     "cannot tell: something in scope is missing, a broken build, a damaged file, a missing tool"},
    {kExitNothingRan, "nothing ran"},
    {kExitNeedsReview, "of the gate: a person has to look"},
};

constexpr ExitStatus exitStatusOf(Error::Kind kind) {
  switch (kind) {
    case Error::Kind::kUsage:
    case Error::Kind::kNotFound:
      return kExitWrongCall;
    case Error::Kind::kNothing:
      return kExitNothingRan;
    case Error::Kind::kMismatch:
    case Error::Kind::kConflict:
      return kExitDoesNotHold;
    case Error::Kind::kBadInput:
    case Error::Kind::kUnsupported:
    case Error::Kind::kIo:
    case Error::Kind::kResource:
      return kExitCannotTell;
  }
  return kExitCannotTell;
}

class Verb {
 public:
  // The example stands at the end of --help.
  Verb(const char* name, const char* summary, const char* example)
      : name_(name), summary_(summary), example_(example) {}
  virtual ~Verb() = default;
  const char* name() const { return name_; }
  const char* summary() const { return summary_; }
  const char* example() const { return example_; }
  // `--format` is added by the caller, unless the verb has one of its own.
  virtual void addOptions(CLI::App& app) = 0;
  // The exit status. The caller prints an error, and maps its kind to the exit status.
  virtual Result<int> run(Console& console) = 0;
  // The command line as typed, for the record of a run.
  std::string commandLine;

 private:
  const char *name_, *summary_, *example_;
};

std::unique_ptr<Verb> makeAccuracyVerb();
std::unique_ptr<Verb> makeAuditVerb();
std::unique_ptr<Verb> makeBackupVerb();
std::unique_ptr<Verb> makeBisectVerb();
std::unique_ptr<Verb> makeBuildsVerb();
std::unique_ptr<Verb> makeCasesVerb();
std::unique_ptr<Verb> makeCompletionVerb();
std::unique_ptr<Verb> makeConformVerb();
std::unique_ptr<Verb> makeConvertVerb();
std::unique_ptr<Verb> makeDiffVerb();
std::unique_ptr<Verb> makeDoctorVerb();
std::unique_ptr<Verb> makeExplainVerb();
std::unique_ptr<Verb> makeFidelityVerb();
std::unique_ptr<Verb> makeFsckVerb();
std::unique_ptr<Verb> makeGcVerb();
std::unique_ptr<Verb> makeGateVerb();
std::unique_ptr<Verb> makeGetVerb();
std::unique_ptr<Verb> makeHistoryVerb();
std::unique_ptr<Verb> makeHoldVerb();
std::unique_ptr<Verb> makeImportVerb();
std::unique_ptr<Verb> makeKeyVerb();
std::unique_ptr<Verb> makeLimitationsVerb();
std::unique_ptr<Verb> makeListVerb();
std::unique_ptr<Verb> makeManualVerb();
std::unique_ptr<Verb> makeMergeVerb();
std::unique_ptr<Verb> makeMirrorVerb();
std::unique_ptr<Verb> makeNightlyVerb();
std::unique_ptr<Verb> makeProduceVerb();
std::unique_ptr<Verb> makeProveVerb();
std::unique_ptr<Verb> makeScrubVerb();
std::unique_ptr<Verb> makePullVerb();
std::unique_ptr<Verb> makePushVerb();
std::unique_ptr<Verb> makePutVerb();
std::unique_ptr<Verb> makeReplayVerb();
std::unique_ptr<Verb> makeReportVerb();
std::unique_ptr<Verb> makeRestoreVerb();
std::unique_ptr<Verb> makeRetentionVerb();
std::unique_ptr<Verb> makeRunVerb();
std::unique_ptr<Verb> makeServeVerb();
std::unique_ptr<Verb> makeShowVerb();
std::unique_ptr<Verb> makeSignVerb();
std::unique_ptr<Verb> makeTablesVerb();
std::unique_ptr<Verb> makeTokenVerb();
std::unique_ptr<Verb> makeWindowVerb();

// Runs `vintage` with these arguments (the program's name first).
int runCommandLine(const std::vector<std::string>& arguments);

}  // namespace vintage::harness
