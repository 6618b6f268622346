#include <chrono>

#include "golden/base/failures.h"
#include "harness/bisect/session.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"

namespace vintage::harness {
using namespace archive;

namespace {

class BisectVerb final : public Verb {
 public:
  BisectVerb()
      : Verb("bisect",
             "Find the first build, and the first commit, at which an artifact stopped working",
             "vintage bisect --archive A --case 'tanh_f32[8,8]'\n"
             "  vintage bisect --archive A --artifact loop_n2000 --good jax-0.11.0 --slower 2\n"
             "  vintage bisect --archive A --artifact 6421a072e9f1 --good 2026-10-01 --bad "
             "2026-11-20 "
             "\\\n      --repo ../compiler --build 'ninja -C out worker' --worker out/worker") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    auto* artifact = app.add_option("--artifact", options_.choice.artifact,
                                    "An artifact's id, its first characters, or its name");
    app.add_option("--case", options_.choice.caseId,
                   "A case, or an imported artifact's name: its newest artifact")
        ->excludes(artifact);
    app.add_option("--platform", options_.choice.platform,
                   "The platform (default: the artifact's first that a build runs)");
    app.add_option("--mode", options_.choice.mode,
                   "graph, eager or compiled (default: graph where the builds have it, else "
                   "theirs)")
        ->check(CLI::IsMember({"graph", "eager", "compiled", "compile-only"}));
    app.add_option("--good", options_.ends.good,
                   "A build that works, a day, or with --repo a commit (default: walk back)");
    app.add_option("--bad", options_.ends.bad,
                   "A build that fails, a day, or a commit (default: the newest that starts)");
    auto* repository = app.add_option("--repo", options_.commits.repository,
                                      "Continue over the commits of this git repository");
    auto* build = app.add_option("--build", options_.commits.buildCommand,
                                 "The shell command that builds a worker in a checkout")
                      ->needs(repository);
    auto* worker = app.add_option("--worker", options_.commits.worker,
                                  "The worker's program, relative to the checkout")
                       ->needs(repository);
    repository->needs(build)->needs(worker);
    addDefaulted(app, "--build-timeout", buildSeconds_, "Seconds for one build",
                 CLI::Range(1, 604800));
    app.add_option("--probes", probes_,
                   "Builds or commits to try at once (default: one for each processor, "
                   "at least 2)")
        ->check(CLI::Range(1, 64));
    addDefaulted(app, "--executions", options_.search.executions, "Executions of one probe",
                 CLI::Range(1, 1000));
    addDefaulted(app, "--confidence", options_.search.confidence,
                 "How sure to be before naming a culprit", CLI::Range(0.5, 0.999999));
    addDefaulted(app, "--spot-checks", options_.search.spotCheckRounds,
                 "Rounds that look for further transitions among the builds", CLI::Range(0, 100));
    addDefaulted(app, "--most-rounds", options_.search.mostRounds, "Give up after this many rounds",
                 CLI::Range(1, 100000));
    app.add_flag("--fresh", options_.fresh, "Ignore the answers of earlier runs");
    auto* localize = app.add_flag("--localize", options_.localize,
                                  "Also find the first operation whose value differs, or with "
                                  "--slower the smallest part that shows it, and a reduced module "
                                  "that still fails");
    app.add_option("--reference", options_.reference,
                   "The build to compare with in --localize, or 'engine' (default: the last good "
                   "one, else the embedded engine)")
        ->needs(localize);
    // A commit has no build to be measured beside.
    auto* slower = app.add_option("--slower", slower_,
                                  "Search for the build on which it takes at least this many "
                                  "times as long as on the build of --good; each build is measured "
                                  "beside that one (docs/reference/speed.md)")
                       ->check(CLI::Range(1.05, 1e9))
                       ->excludes(repository);
    app.add_option("--larger", larger_,
                   "The same for memory: at least this many times as much as there")
        ->check(CLI::Range(1.05, 1e9))
        ->excludes(slower)
        ->excludes(repository);
    limits_.addTo(app, "one execution");
    limits_.addSandboxTo(app);
  }

  Result<int> run(Console& console) override {
    if (options_.choice.artifact.empty() == options_.choice.caseId.empty())
      return usageError("name what fails: --artifact ID or --case ID");
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    options_.limits = {limits_.timeout(), limits_.memoryBytes(), limits_.sandbox()};
    options_.search.probesAtOnce = orProcessors(probes_, 2);
    options_.commits.buildTime = std::chrono::seconds(buildSeconds_);
    options_.speed = speedQuestion();
    options_.commandLine = commandLine;
    options_.today = currentDate();
    ASSIGN_OR_RETURN(auto result, harness::bisect(options_, archive, [&](const std::string& text) {
                       console.note(text);
                     }));
    if (console.json()) {
      console.printJson(result.record);
    } else {
      console.print(result.text);
      console.line("record: " + result.recordPath);
    }
    return result.exitStatus;
  }

 private:
  std::optional<SpeedQuestion> speedQuestion() const {
    if (!slower_ && !larger_) return std::nullopt;
    SpeedQuestion question;
    question.quantity = slower_ ? Quantity::kRun : Quantity::kMemory;
    question.bound = slower_ ? *slower_ : *larger_;
    question.options.bounds = {question.bound};
    question.options.timeout = options_.limits.timeout;
    question.options.memoryLimitBytes = options_.limits.memoryLimitBytes;
    question.options.sandbox = options_.limits.sandbox;
    return question;
  }

  std::string archive_;
  BisectOptions options_;
  std::optional<double> slower_, larger_;
  int buildSeconds_ = 3600, probes_ = 0;
  LimitOptions limits_;
};

}  // namespace

std::unique_ptr<Verb> makeBisectVerb() { return std::make_unique<BisectVerb>(); }

}  // namespace vintage::harness
