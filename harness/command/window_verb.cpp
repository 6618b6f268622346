#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/command/slurm_option.h"
#include "harness/command/speed_option.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/runs/named_runs.h"
#include "harness/judge/window/merge_archives.h"
#include "harness/judge/window/run_window.h"
#include "harness/runtimes/builds/builds.h"
#include "reports/window_report.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

class WindowVerb final : public Verb {
 public:
  WindowVerb()
      : Verb("window", "Judge the promises between all archived producers and registered consumers",
             "vintage window --archive A --scope cpu backward\n"
             "  vintage window --archive A --policy stablehlo --plan\n"
             "  vintage window --archive A --shard 2/8 -o part2.json\n"
             "  vintage window --archive A --by lab     # what the token 'lab' reported\n"
             "  vintage window --archive A --consumer jax-0.11.0 jax-0.11.1 --speed\n"
             "  vintage window --archive /shared/A --slurm 40 --partition long") {
    options_.choice.modes.clear();
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--policy", policy_,
                   "The promises: jax (180 days backward, 21 forward), stablehlo (5 years, 2 "
                   "years), or a file (docs/reference/window.md)")
        ->capture_default_str();
    app.add_option("--mode", options_.choice.modes,
                   "graph, eager, compiled or compile-only; several are allowed (default: graph "
                   "where a registered build has it, else what the builds have)")
        ->check(CLI::IsMember({"graph", "eager", "compiled", "compile-only"}));
    app.add_option("--consumer", options_.consumers, "Only these builds (default: all registered)");
    app.add_option(
           "--beyond", beyond_,
           "Pairs to run beyond the promises, to measure what really works: nothing, sample "
           "(of each primitive, target, platform and producer), all")
        ->capture_default_str()
        ->check(CLI::IsMember({"nothing", "sample", "all"}));
    app.add_flag("--facts", options_.withFacts,
                 "Also judge releases by their facts, without running them");
    app.add_option("--shard", shard_, "I/N: only the I-th of N parts, by the artifacts' hashes");
    app.add_option("--apart", apart_,
                   "With --shard: record into an archive of the shard's own in this folder, which "
                   "'vintage merge --into' brings back; for machines that share a folder")
        ->needs("--shard");
    app.add_flag("--plan", plan_, "Print what is known and what would run; run nothing");
    app.add_flag("--no-run", noRun_, "Judge what is recorded; run nothing");
    app.add_flag("--rerun", options_.rerun, "Run known pairs again");
    app.add_option("--out,-o", out_, "Write the result as JSON, for 'vintage merge' and others");
    app.add_option("--longest", longest_, "List at most this many pairs and measurements")
        ->capture_default_str();
    speed_.addTo(app,
                 "Also measure each build beside the one before it of the same product, on what "
                 "runs on both: run and compile time, memory (docs/reference/speed.md)");
    app.add_option(
        "--by", by_,
        "Judge what this reporter recorded ('vintage list --runs'), on the builds that it "
        "ran, apart from the archive's own results; runs nothing");
    filter_.addTo(app);
    run_.addTo(app);
    run_.addLabelTo(app);
    scope_.addTo(app);
    slurm_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(auto options, windowOptions());
    if (!by_.empty() && (slurm_.given() || !apart_.empty() || speed_.given() || options.rerun ||
                         !run_.label().empty()))
      return usageError(
          "--by judges recorded results: --slurm, --apart, --speed, --rerun and --label do not go "
          "with it");
    if (slurm_.given()) return runOnCluster(options, console);
    const bool isRead = plan_ || !options.run || !apart_.empty();
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, isRead ? Archive::Mode::kReadOnly
                                                                  : Archive::Mode::kReadWrite));
    if (!by_.empty()) RETURN_IF_ERROR(judgeReporter(archive, options));
    if (options.choice.modes.empty()) {
      RETURN_IF_ERROR(chooseModes(archive, options));
    }
    if (plan_) return plan(options, archive, console);
    if (!apart_.empty()) {
      ASSIGN_OR_RETURN(
          auto own, archiveOfShard(archive, apart_, options.choice.shard, options.choice.shards));
      archive = std::move(own);
    }
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(auto report, runWindow(options, archive, *host,
                                            std::bind_front(&Console::progress, &console)));
    report.byItself = report.shards > 1;
    RETURN_IF_ERROR(print(report, console));
    if (!run_.label().empty() && report.ran + report.skipped == 0)
      console.note(fmt::format("nothing had to run: no run has the label '{}'", run_.label()));
    return exitStatus(report.verdict());
  }

 private:
  // Its runs, its builds and their modes in the place of the archive's.
  Status judgeReporter(const Archive& archive, WindowOptions& options) const {
    ASSIGN_OR_RETURN(const ReportedResults reported, resultsReportedBy(archive, by_));
    options.choice.runs = reported.runs;
    if (options.consumers.empty()) options.consumers = reported.builds;
    if (options.choice.modes.empty()) options.choice.modes = reported.modes;
    return {};
  }

  Status print(const WindowReport& report, Console& console) const {
    const nlohmann::json json = reports::toJson(report);
    if (!out_.empty()) RETURN_IF_ERROR(writeTextFile(out_, json.dump(2) + "\n"));
    console.answer(json, notJudged_ + windowText(report, longest_));
    return {};
  }

  Result<int> runOnCluster(const WindowOptions& options, Console& console) {
    if (!shard_.empty() || plan_ || noRun_ || speed_.given() || !run_.label().empty())
      return usageError(
          "--slurm runs all parts of a window: --shard, --plan, --no-run, --speed and --label "
          "do not go with it");
    // Each part judges the same day, whenever it starts.
    std::vector<std::string> words = slurm_.typedOptions();
    words.insert(words.end(), {"--today", formatDate(options.choice.today)});
    ASSIGN_OR_RETURN(auto parts, slurm_.run("window", archive_, words, console));
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, Archive::Mode::kReadWrite));
    std::optional<WindowReport> whole;
    RETURN_IF_ERROR(parts.mergeInto(
        archive, [&whole](std::string_view text, const std::string& file) -> Status {
          ASSIGN_OR_RETURN(auto report, parseWindowReport(text, file));
          if (whole) return within(file, whole->add(report));
          whole = std::move(report);
          return {};
        }));
    // All parts are in it: it says what one machine says.
    whole->shards = 1;
    whole->parts = {0};
    RETURN_IF_ERROR(print(*whole, console));
    RETURN_IF_ERROR(parts.remove());
    return exitStatus(whole->verdict());
  }

  Result<WindowOptions> windowOptions() {
    WindowOptions options = options_;
    ASSIGN_OR_RETURN(options.choice.policy, within("--policy", readPolicy(policy_)));
    options.choice.filter = filter_.filter();
    options.choice.today = run_.today();
    ASSIGN_OR_RETURN(options.choice.scope, scope_.scope(options.choice.policy));
    options.choice.beyond = beyond_ == "nothing" ? Beyond::kNothing
                            : beyond_ == "all"   ? Beyond::kAll
                                                 : Beyond::kSample;
    if (!shard_.empty()) {
      ASSIGN_OR_RETURN(const Shard shard, parseShard(shard_));
      options.choice.shard = shard.part;
      options.choice.shards = shard.parts;
    }
    options.run = !noRun_ && by_.empty();
    options.commandLine = commandLine;
    options.replay = run_.replayOptions(archive_);
    options.speed = speed_.options(options.choice.policy.speed, options.replay);
    return options;
  }

  // Real releases compile and do nothing else: in an archive of models only they may be registered.
  Status chooseModes(const Archive& archive, WindowOptions& options) {
    ASSIGN_OR_RETURN(const auto builds, ownBuilds(archive));
    std::set<std::string> first;
    std::vector<std::string_view> withoutGraph;
    for (const BuildRecord& build : builds) {
      if (!build.start || build.modes.empty()) continue;
      if (!options.consumers.empty() && std::ranges::count(options.consumers, build.name) == 0)
        continue;
      const bool hasGraph = std::ranges::count(build.modes, "graph") > 0;
      first.insert(hasGraph ? "graph" : build.modes.front());
      if (!hasGraph) withoutGraph.push_back(build.name);
    }
    if (first.empty() || first.contains("graph")) {
      options.choice.modes = {"graph"};
      if (!withoutGraph.empty())
        notJudged_ = fmt::format(
            "not judged: {} without the mode graph, the first is {} (--mode or --consumer)\n",
            counted(withoutGraph.size(), "build"), withoutGraph.front());
    } else {
      options.choice.modes.assign(first.begin(), first.end());
    }
    return {};
  }

  int plan(const WindowOptions& options, const Archive& archive, Console& console) const {
    auto plan = planWindow(options, archive);
    if (!plan) {
      console.error(plan.error());
      return exitStatusOf(plan.error().kind);
    }
    if (console.json()) {
      nlohmann::json parts = nlohmann::json::array();
      for (const WindowPlan::Part& part : plan->parts)
        parts.push_back({{"build", part.build},
                         {"known", part.known},
                         {"to_run", part.toRun},
                         {"problem", part.problem}});
      console.printJson({{"contents", plan->counts.contents},
                         {"artifacts", plan->counts.artifacts},
                         {"known", plan->known},
                         {"to_run", plan->toRun},
                         {"consumers", parts}});
    } else {
      for (const WindowPlan::Part& part : plan->parts)
        if (part.known + part.toRun > 0)
          console.line("{:<36} {} known, {} to run{}", part.build, part.known, part.toRun,
                       part.problem.empty() ? "" : "; it cannot: " + part.problem);
      console.line("{} of {}: {} known, {} would run", counted(plan->counts.artifacts, "artifact"),
                   counted(plan->counts.contents, "content"), counted(plan->known, "execution"),
                   plan->toRun);
    }
    return plan->known + plan->toRun > 0 ? kExitHolds : kExitNothingRan;
  }

  std::string archive_, policy_ = "jax", beyond_ = "sample", shard_, apart_, out_, by_;
  WindowOptions options_;
  bool plan_ = false, noRun_ = false;
  size_t longest_ = 50;
  std::string notJudged_;  // Builds that the default of --mode leaves out.
  FilterOptions filter_;
  RunOptionsOfVerb run_;
  ScopeOption scope_;
  SlurmOption slurm_;
  SpeedOption speed_;
};

}  // namespace

std::unique_ptr<Verb> makeWindowVerb() { return std::make_unique<WindowVerb>(); }

}  // namespace vintage::harness
