// A verb of the command line: `vintage VERB …`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "golden/base/result.h"
#include "harness/command/console.h"

namespace vintage::harness {

// The exit statuses of every verb.
enum ExitStatus : int {
  kExitHolds = 0,        // It holds, or it was done.
  kExitDoesNotHold = 1,  // A broken promise, a violation, a mismatch.
  kExitWrongCall = 2,    // An option, an argument, a path that is not there.
  kExitCannotTell = 3,   // A broken build, a damaged file, a missing tool.
  kExitNothingRan = 4,
  kExitNeedsReview = 5,  // The gate neither allows nor forbids; a person decides.
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
  // The exit status. An error is printed by the caller, who maps its kind.
  virtual Result<int> run(Console& console) = 0;
  // What was typed, for the record of a run.
  std::string commandLine;

 private:
  const char *name_, *summary_, *example_;
};

// Each makes the verb of its name.
using MakeVerb = std::unique_ptr<Verb>();
MakeVerb makeAccuracyVerb, makeAuditVerb, makeBackupVerb, makeBisectVerb, makeBuildsVerb,
    makeCasesVerb, makeCompletionVerb, makeConformVerb, makeConvertVerb, makeDiffVerb,
    makeDoctorVerb, makeExplainVerb, makeFidelityVerb, makeFsckVerb, makeGateVerb, makeGcVerb,
    makeGetVerb, makeHistoryVerb, makeHoldVerb, makeImportVerb, makeKeyVerb, makeLimitationsVerb,
    makeListVerb, makeManualVerb, makeMergeVerb, makeMirrorVerb, makeNightlyVerb, makeProduceVerb,
    makeProveVerb, makePullVerb, makePushVerb, makePutVerb, makeReplayVerb, makeReportVerb,
    makeRestoreVerb, makeRetentionVerb, makeRunVerb, makeScrubVerb, makeServeVerb, makeShowVerb,
    makeSignVerb, makeTablesVerb, makeTokenVerb, makeWindowVerb;

// Runs `vintage` with these arguments (the program's name first).
int runCommandLine(const std::vector<std::string>& arguments);

}  // namespace vintage::harness
