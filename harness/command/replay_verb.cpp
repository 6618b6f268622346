#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/replay/begin_run.h"
#include "harness/replay/replay.h"
#include "harness/replay/suspects.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"
#include "harness/runtimes/embedded/executor.h"
#include "primitives/limitations/limitations.h"
#include "reports/accuracy.h"
#include "reports/junit.h"
#include "reports/run_report.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;
using namespace reports;

namespace {

// Two verbs replay: `replay` reports what passes, `accuracy` how near it comes.
enum class Reports { kVerdict, kAccuracy };

class ReplayVerb final : public Verb {
 public:
  explicit ReplayVerb(Reports reports) : reports_(reports) {}
  const char* name() const override { return isAccuracy() ? "accuracy" : "replay"; }
  const char* summary() const override {
    return isAccuracy() ? "Largest and mean error of a build against the oracle, by primitive and "
                          "dtype, in units in the last place"
                        : "Run archived artifacts on a build and compare with their goldens";
  }
  const char* example() const override {
    return isAccuracy() ? "vintage accuracy --archive A --platform cpu --primitive sin cos tan"
                        : "vintage replay --archive A --platform cpu";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--build", build_, "A registered build (default: the embedded engine)");
    app.add_option("--mode", mode_,
                   "graph, eager, compiled or compile-only (default: the build's first)");
    if (!isAccuracy()) app.add_option("--junit", junit_, "Write JUnit XML to this file");
    app.add_flag("--emulate", emulate_,
                 "Also run artifacts for platforms that this machine lacks, with LAPACK's solvers; "
                 "recorded as \"cuda (emulated)\", never as cuda");
    app.add_flag("--rerun", rerun_, "Only artifacts that did not pass last time on this build");
    filter_.addTo(app);
    run_.addTo(app);
    scope_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto filter, filter_.filter());
    ASSIGN_OR_RETURN(auto today, run_.today());
    ASSIGN_OR_RETURN(scopeOfRun_, scope_.scope(jaxPolicy()));
    if (!scopeOfRun_.promises.empty())
      return usageError("--scope: {} runs what was chosen and judges no promise; '{}' is one",
                        name(), scopeOfRun_.promises.front());
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    ASSIGN_OR_RETURN(auto build, chooseBuild(archive, today));
    if (mode_.empty() && !build.modes.empty()) mode_ = build.modes.front();
    if (std::find(build.modes.begin(), build.modes.end(), mode_) == build.modes.end())
      return usageError("--mode: {} does not run in mode {}; it has {}", build.name, mode_,
                        fmt::join(build.modes, ", "));
    if (emulate_ && build.kind != "engine")
      return usageError(
          "--emulate: only the embedded engine has stand-ins for other platforms' custom calls; {} "
          "is another consumer",
          build.name);
    ASSIGN_OR_RETURN(auto records, archive.list(filter));
    if (rerun_) RETURN_IF_ERROR(keepThoseThatDidNotPass(archive, build, records));
    return replayThem(archive, build, std::move(records), today, console);
  }

 private:
  Result<BuildRecord> chooseBuild(Archive& archive, Date today) const {
    if (!build_.empty()) {
      ASSIGN_OR_RETURN(auto build, findBuild(archive, build_));
      if (build.start && !canStart(build))
        return ioError("--build: cannot start {} here: {} is missing", build_,
                       build.start->worker.front());
      auto host = makePosixProcessHost();
      return readyToStart(build, *host);
    }
    ASSIGN_OR_RETURN(auto worker, findWorkerProgram());
    BuildRecord build = engineBuild(worker, run_.todayGiven() ? today : compiledOn());
    // Tomorrow another program may lie at this place, so only the nightly run,
    // which keeps a copy, registers how to start it.
    ASSIGN_OR_RETURN(auto known, archive.builds());
    if (std::none_of(known.begin(), known.end(),
                     [&](const BuildRecord& one) { return one.name == build.name; })) {
      RETURN_IF_ERROR(archive.putBuild(build));
    }
    return build;
  }

  Status keepThoseThatDidNotPass(const Archive& archive, const BuildRecord& build,
                                 std::vector<ArtifactRecord>& records) const {
    OutcomeFilter filter;
    filter.builds = {build.name};
    filter.modes = {mode_};
    filter.outcomes = {OutcomeKind::kPass, OutcomeKind::kCompiled};
    ASSIGN_OR_RETURN(auto outcomes, archive.outcomes(filter));
    std::set<std::pair<ContentId, ContentId>> passed;
    for (const OutcomeRecord& outcome : outcomes)
      if (emulate_ || !isEmulated(outcome.platform))
        passed.emplace(outcome.artifact, outcome.golden);
    std::erase_if(records, [&](const ArtifactRecord& record) {
      return passed.contains({record.id, record.golden});
    });
    return {};
  }

  Result<int> replayThem(Archive& archive, const BuildRecord& build,
                         std::vector<ArtifactRecord> records, Date today, Console& console) {
    const auto start = std::chrono::steady_clock::now();
    ReplayChoice choice;
    if (filter_.platforms().size() == 1) choice.platform = filter_.platforms().front();
    choice.mode = mode_;
    choice.emulate = emulate_;
    choice.today = today;
    choice.limitations = limitations();
    choice.scope = scopeOfRun_;
    const ReplayPlan plan = planReplay(shareRecords(std::move(records)), build, choice);

    ASSIGN_OR_RETURN(auto options, run_.replayOptions(archive_));
    RunSummary summary;
    if (scopeOfRun_ != Scope{}) summary.scope = scopeText(scopeOfRun_);
    ASSIGN_OR_RETURN(auto id,
                     beginRun(archive, archive_, name(), commandLine, today, limitations(),
                                       summary));
    options.run = id;
    AccuracyMeter accuracy;
    if (isAccuracy()) options.accuracy = &accuracy;
    auto host = makePosixProcessHost();
    RETURN_IF_ERROR(harness::replay(
        plan, build, mode_, options, archive, *host,
        [&](size_t done, size_t total, const Pair&) { console.progress("replay", done, total); },
        summary));
    summary.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    summary.accuracy = accuracy.rows();
    RETURN_IF_ERROR(findSuspects(archive, summary));
    RETURN_IF_ERROR(archive.finishRun(
        id, runNotesJson({isAccuracy() ? build.name : "", summary.accuracy, summary.breakages}),
        verdictName(verdictOf(summary))));
    if (!junit_.empty()) RETURN_IF_ERROR(writeTextFile(junit_, junitXml(summary)));
    if (!isAccuracy()) {
      console.print(console.json() ? runReportJson(summary) + "\n" : runReportText(summary));
    } else if (console.json()) {
      console.printJson(accuracyJson(summary.accuracy));
    } else {
      console.print(accuracyText(summary.accuracy));
      console.line("verdict over {} pairs, each within its tolerance: {}", summary.pairs.size(),
                   verdictName(verdictOf(summary)));
    }
    return exitStatus(verdictOf(summary));
  }

  bool isAccuracy() const { return reports_ == Reports::kAccuracy; }

  const Reports reports_;
  std::string archive_, build_, mode_, junit_;
  bool rerun_ = false, emulate_ = false;
  FilterOptions filter_;
  RunOptionsOfVerb run_;
  ScopeOption scope_;
  Scope scopeOfRun_;
};

}  // namespace

std::unique_ptr<Verb> makeReplayVerb() { return std::make_unique<ReplayVerb>(Reports::kVerdict); }
std::unique_ptr<Verb> makeAccuracyVerb() {
  return std::make_unique<ReplayVerb>(Reports::kAccuracy);
}

}  // namespace vintage::harness
