#include <algorithm>
#include <chrono>
#include <set>

#include <fmt/ranges.h>

#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/speed_option.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/model/array_files.h"
#include "harness/model/execute.h"
#include "harness/replay/consumer_limitations.h"
#include "harness/replay/recorded_run.h"
#include "harness/replay/suspects.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/embedded/executor.h"
#include "primitives/limitations/limitations.h"
#include "reports/accuracy.h"
#include "reports/failure_cause.h"
#include "reports/run_notes.h"
#include "reports/run_report.h"
#include "reports/speed_report.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;
using namespace reports;

namespace {

// Two verbs replay: `replay` reports what passes, `accuracy` how near it comes.
class ReplayVerb final : public Verb {
 public:
  ReplayVerb(const char* name, const char* summary, const char* example, bool isAccuracy)
      : Verb(name, summary, example), isAccuracy_(isAccuracy) {
    choice_.mode.clear();
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--build", build_, "A registered build (default: the embedded engine)");
    app.add_option("--mode", choice_.mode,
                   "graph, eager, compiled or compile-only (default: the build's first)");
    if (!isAccuracy_) app.add_option("--junit", junit_, "Write JUnit XML to this file");
    app.add_flag("--emulate", choice_.emulate,
                 "Also run artifacts for platforms that this machine lacks, with LAPACK's solvers; "
                 "recorded as \"cuda (emulated)\", never as cuda");
    app.add_flag("--rerun", rerun_, "Only artifacts that did not pass last time on this build");
    filter_.addTo(app);
    run_.addTo(app);
    run_.addLabelTo(app);
    scope_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(choice_.scope, scope_.scope(jaxPolicy()));
    if (!choice_.scope.promises.empty())
      return usageError(
          "--scope: '{1}' is a promise, and {0} judges none: it runs the chosen artifacts", name(),
          choice_.scope.promises.front());
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    ASSIGN_OR_RETURN(auto build, chooseBuild(archive));
    if (choice_.mode.empty() && !build.modes.empty()) choice_.mode = build.modes.front();
    if (!lists(build.modes, choice_.mode))
      return usageError("--mode: {} does not run in mode {}; it has {}", build.name, choice_.mode,
                        fmt::join(build.modes, ", "));
    if (choice_.emulate && build.kind != "engine")
      return usageError(
          "--emulate: only the embedded engine has stand-ins for other platforms' custom calls; {} "
          "is another consumer",
          build.name);
    ASSIGN_OR_RETURN(auto records, archive.list(filter_.filter()));
    if (rerun_) RETURN_IF_ERROR(keepThoseThatDidNotPass(archive, build, records));
    return replayThem(archive, build, std::move(records), console);
  }

 private:
  Result<BuildRecord> chooseBuild(Archive& archive) const {
    if (!build_.empty()) {
      ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
      if (build.start && !canStart(build))
        return ioError("--build: cannot start {} here: {} is missing", build_,
                       build.start->worker.front());
      auto host = makePosixProcessHost();
      return readyToStart(build, *host);
    }
    ASSIGN_OR_RETURN(auto worker, findWorkerProgram());
    BuildRecord build = engineBuild(worker, run_.todayGiven() ? run_.today() : compiledOn());
    // Tomorrow another program may lie at this place, so only the nightly run,
    // which keeps a copy, registers how to start it.
    ASSIGN_OR_RETURN(auto known, ownBuilds(archive));
    if (std::ranges::find(known, build.name, &BuildRecord::name) == known.end())
      RETURN_IF_ERROR(archive.putBuild(build));
    return build;
  }

  Status keepThoseThatDidNotPass(const Archive& archive, const BuildRecord& build,
                                 std::vector<ArtifactRecord>& records) const {
    OutcomeFilter filter;
    filter.builds = {build.name};
    filter.modes = {choice_.mode};
    filter.outcomes = {OutcomeKind::kPass, OutcomeKind::kCompiled};
    ASSIGN_OR_RETURN(auto outcomes, archive.outcomes(filter));
    std::set<std::pair<ContentId, ContentId>> passed;
    for (const OutcomeRecord& outcome : outcomes)
      if (choice_.emulate || !isEmulated(outcome.platform))
        passed.emplace(outcome.artifact, outcome.golden);
    std::erase_if(records, [&](const ArtifactRecord& record) {
      return passed.contains({record.id, record.golden});
    });
    return {};
  }

  Result<int> replayThem(Archive& archive, const BuildRecord& build,
                         std::vector<ArtifactRecord> records, Console& console) {
    const auto start = std::chrono::steady_clock::now();
    if (filter_.platforms().size() == 1) choice_.platform = filter_.platforms().front();
    auto options = run_.replayOptions(archive_);
    AccuracyMeter accuracy;
    if (isAccuracy_) options.accuracy = &accuracy;
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(auto run, RecordedRun::begin(name(), commandLine, run_.today(), limitations(),
                                                  options, archive, *host));
    RunSummary& summary = run.summary;
    if (choice_.scope != Scope{}) summary.scope.text = scopeText(choice_.scope);
    RETURN_IF_ERROR(run.execute(
        shareRecords(std::move(records)), build, choice_,
        [&](size_t done, size_t total, const Pair&) { console.progress("replay", done, total); }));
    summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    summary.accuracy = accuracy.rows();
    ASSIGN_OR_RETURN(summary.suspects, findSuspects(archive, summary.pairs));
    RETURN_IF_ERROR(archive.finishRun(summary.run.id,
                                      runNotesJson(notesOf(summary, isAccuracy_ ? build.name : "")),
                                      verdictName(verdictOf(summary))));
    if (!junit_.empty()) RETURN_IF_ERROR(writeTextFile(junit_, junitXml(summary)));
    if (!isAccuracy_) {
      console.print(console.json() ? runReportJson(summary) + "\n" : runReportText(summary));
    } else if (console.json()) {
      console.printJson(accuracyJson(summary.accuracy));
    } else {
      console.print(accuracyText(summary.accuracy));
      console.line("verdict over {}, each within its tolerance: {}",
                   counted(summary.pairs.size(), "pair"), verdictName(verdictOf(summary)));
    }
    return exitStatus(verdictOf(summary));
  }

  const bool isAccuracy_;
  std::string archive_, build_, junit_;
  bool rerun_ = false;
  FilterOptions filter_;
  RunOptionsOfVerb run_;
  ScopeOption scope_;
  ReplayChoice choice_;
};

class RunVerb final : public Verb {
 public:
  RunVerb()
      : Verb(
            "run", "Run an artifact once on a build, and print or write what came out",
            "vintage run 3f9a0c21 --archive A --build jax-0.12.0\n"
            "  vintage run model.bin --archive A --build jax-0.12.0 --inputs x.npz -o outputs.npz\n"
            "  vintage run model.bin --archive A --build jax-0.11.0 --build jax-0.11.1 --speed") {}
  void addOptions(CLI::App& app) override {
    app.add_option("ARTIFACT", artifact_, "An id, the beginning of one, or a name")->required();
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--build", builds_,
                   "A registered build (default: the embedded engine); with --speed two or more, "
                   "each measured beside the first")
        ->allow_extra_args(false);
    app.add_option("--platform", execution_.platform,
                   "One of the artifact's (default: its first that the build has)");
    app.add_option("--mode", execution_.mode, "graph, eager or compiled (default: the build's)");
    limits_.addTo(app, "one run");
    limits_.addSandboxTo(app);
    CLI::Option* inputs =
        app.add_option("--inputs", inputs_,
                       "Arrays that it takes: .npy, .npz or .safetensors (default: the golden's, "
                       "whose outputs are then compared)");
    CLI::Option* output =
        app.add_option("-o,--output", output_, "Write the outputs to this .npz file");
    speed_.addTo(app,
                 "Measure the builds in turns: run and compile time, memory, and their ratios "
                 "(docs/reference/speed.md)");
    inputs->excludes("--speed");
    output->excludes("--speed");
    app.add_option(
           "--slower", slower_,
           "With --speed: fail only where a run takes this many times as long (default: where "
           "any measure is 1.5 times as large)")
        ->check(CLI::Range(1.05, 1e9))
        ->needs("--speed");
  }

  // 1 where other values came out than the golden holds, or it did not run; 3 where the two cannot
  // be compared. With the caller's inputs there is nothing to compare.
  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(const auto record, archive.find(artifact_));
    auto host = makePosixProcessHost();
    if (speed_.given()) return measure(archive, record, *host, console);
    if (builds_.size() > 1)
      return usageError(
          "--build: an artifact runs on one build; with --speed two or more are "
          "measured beside each other");
    ASSIGN_OR_RETURN(const BuildRecord build,
                     chosenBuild(archive, builds_.empty() ? "" : builds_.front(), *host));
    execution_.timeout = limits_.timeout();
    execution_.memoryLimitBytes = limits_.memoryBytes();
    execution_.sandbox = limits_.sandbox();
    ASSIGN_OR_RETURN(const auto ran, inputs_.empty()
                                         ? runWithGolden(archive, record, build, execution_, *host)
                                         : runWithOwnInputs(archive, record, build, *host));
    if (!output_.empty()) RETURN_IF_ERROR(writeNpz(output_, ran.result.outputs));
    print(build, ran, console);
    if (isFailure(ran.outcome)) return kExitDoesNotHold;
    return isSuccess(ran.outcome) || !inputs_.empty() ? kExitHolds : kExitCannotTell;
  }

 private:
  Result<GoldenRun> runWithOwnInputs(const Archive& archive, const ArtifactRecord& record,
                                     const BuildRecord& build, ProcessHost& host) const {
    GoldenRun run;
    ASSIGN_OR_RETURN(run.result, runWithInputs(archive, record, inputs_, build, execution_, host));
    run.outcome = run.result.outcome;
    if (run.outcome == OutcomeKind::kPass) {
      run.outcome = OutcomeKind::kNotComparable;
      run.detail = "compared with nothing: no outputs are kept for these inputs";
    } else if (run.outcome != OutcomeKind::kCompiled) {
      run.detail = failureText(run.result);
    }
    return run;
  }

  static Result<BuildRecord> chosenBuild(const Archive& archive, const std::string& name,
                                         ProcessHost& host) {
    if (name.empty()) return engineHere();
    ASSIGN_OR_RETURN(const auto build, findBuild(archive, name));
    return readyToStart(build, host);
  }

  // 1 where something is slower or larger, or with --slower beyond that bound; 3 where a build
  // could not be measured, or is not known to lie on one side of the bound.
  Result<int> measure(const Archive& archive, const ArtifactRecord& record, ProcessHost& host,
                      Console& console) const {
    if (builds_.size() < 2)
      return usageError("--speed: name two builds or more, with --build for each");
    if (record.golden.empty())
      return unsupported("{} is kept without inputs; keep it with them by 'vintage put'",
                         record.name);
    std::vector<BuildRecord> builds;
    for (const std::string& name : builds_) {
      ASSIGN_OR_RETURN(builds.emplace_back(), chosenBuild(archive, name, host));
    }
    ReplayOptions limits;
    limits.timeout = limits_.timeout();
    limits.memoryLimitBytes = limits_.memoryBytes();
    limits.sandbox = limits_.sandbox();
    SpeedReport report;
    report.promise.run = slower_;
    const auto options = speed_.options(report.promise, limits);
    const SharedRecord shared = std::make_shared<const ArtifactRecord>(record);
    ASSIGN_OR_RETURN(const auto place, choosePlace(builds.front(), record, execution_));
    report.today = currentDate();
    report.archiveArgument = archive_;
    ASSIGN_OR_RETURN(const auto limitations, consumerLimitations(archive));
    bool isMeasured = true;
    for (const BuildRecord& build : std::span(builds).subspan(1)) {
      ASSIGN_OR_RETURN(auto comparison, compareBuilds(builds.front(), build, {&shared, 1},
                                                      loadFrom(archive, place.platform, place.mode),
                                                      *options, host, {}));
      isMeasured &= comparison.problem.empty() && comparison.artifacts.front().problem.empty();
      for (MeasuredArtifact& one : comparison.artifacts)
        declareFindings(limitations, record, build.name, report.today, one);
      report.comparisons.push_back(std::move(comparison));
    }
    const JudgedSpeed speed(std::move(report));
    console.answer(reports::toJson(speed), speedTable(speed.report) + speedText(speed));
    if (!isMeasured) return kExitCannotTell;
    const SpeedJudgement& judgement = speed.judgement;
    if (judgement.verdict) return exitStatus(*judgement.verdict);
    return std::ranges::all_of(judgement.findings, &SpeedFinding::isDeclared) ? kExitHolds
                                                                              : kExitDoesNotHold;
  }

  void print(const BuildRecord& build, const GoldenRun& ran, Console& console) const {
    if (console.json()) {
      console.printJson({{"build", build.name},
                         {"outcome", outcomeName(ran.outcome)},
                         {"detail", ran.detail},
                         {"seconds", ran.result.seconds},
                         {"outputs", outputsJson(ran.result)}});
      return;
    }
    if (output_.empty()) console.print(outputsText(ran.result));
    const std::string detail = shortDetail(ran.detail);
    console.line("{}: {}", build.name,
                 ran.outcome == OutcomeKind::kPass && !detail.starts_with(kDiffersWhereItMay)
                     ? "as the golden says" + (detail.empty() ? "" : "; " + detail)
                 : ran.outcome == OutcomeKind::kCompiled && detail.empty()
                     ? "compiled; this build runs nothing"
                     : detail);
  }

  std::string artifact_, archive_, output_;
  std::vector<std::string> builds_, inputs_;
  Execution execution_;
  SpeedOption speed_;
  std::optional<double> slower_;
  LimitOptions limits_{600, 16};
};

}  // namespace

std::unique_ptr<Verb> makeReplayVerb() {
  return std::make_unique<ReplayVerb>(
      "replay", "Run archived artifacts on a build and compare with their goldens",
      "vintage replay --archive A --platform cpu --label before", false);
}
std::unique_ptr<Verb> makeAccuracyVerb() {
  return std::make_unique<ReplayVerb>(
      "accuracy",
      "Largest and mean error of a build against the oracle, by primitive and dtype, in units in "
      "the last place",
      "vintage accuracy --archive A --platform cpu --primitive sin cos tan", true);
}
std::unique_ptr<Verb> makeRunVerb() { return std::make_unique<RunVerb>(); }

}  // namespace vintage::harness
