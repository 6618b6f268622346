#include <algorithm>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "archive/records/window_policy.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/file_system.h"
#include "golden/base/typed_words.h"
#include "golden/base/visible_text.h"
#include "harness/command/slurm_option.h"
#include "harness/command/speed_option.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/nightly/nightly.h"
#include "harness/judge/tables/limitation_tables.h"
#include "harness/judge/tables/propose.h"
#include "harness/judge/window/merge_archives.h"
#include "harness/replay/suspects.h"
#include "harness/runtimes/builds/builds.h"
#include "primitives/catalogue/case.h"
#include "primitives/limitations/limitations.h"
#include "reports/accuracy.h"
#include "reports/run_report.h"

namespace vintage::harness {
using namespace primitives;
using namespace archive;
using namespace reports;

namespace {

namespace fs = std::filesystem;

class NightlyVerb final : public Verb {
 public:
  NightlyVerb()
      : Verb("nightly",
             "The main job: export tonight's artifacts, replay both windows, judge, report",
             "vintage nightly --archive A --out reports --today 2026-03-01\n"
             "  vintage nightly --archive /srv/A --existing      # on a schedule\n"
             "  vintage nightly --archive /shared/A --jax window --slurm 40") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive; created if missing")->required();
    app.add_flag("--existing", existing_,
                 "Require an archive with an earlier night, as on a schedule: a disk that is not "
                 "mounted must not become a new archive");
    app.add_option("--out", out_, "Folder for the reports (default: reports/DATE in the archive)");
    app.add_option("--mode", options_.modes, "graph, eager or compiled; several are allowed")
        ->capture_default_str()
        ->check(CLI::IsMember({"graph", "eager", "compiled"}));
    app.add_flag("--emulate", options_.emulate,
                 "Also run artifacts for platforms that this machine lacks, with LAPACK's solvers; "
                 "recorded as \"cuda (emulated)\", never as cuda");
    app.add_option("--primitive", options_.primitives, "Only these primitives (default: all)");
    app.add_option("--variant", options_.variants, "Only these variants (default: all)")
        ->check(CLI::IsMember({"static", "poly", "multi_platform", "effects", "vjp", "sharded"}));
    app.add_option("--platform", options_.platforms, "Only for these platforms (default: all)")
        ->check(CLI::IsMember(
            std::vector<std::string>(knownPlatforms().begin(), knownPlatforms().end())));
    app.add_flag("--no-export", noExport_,
                 "Export nothing: replay what the archive holds, and judge");
    app.add_option("--worker", options_.workerProgram,
                   "The worker program that is tonight's build (default: the one beside vintage)");
    app.add_option("--jax", releases_.releases,
                   "Also run beside real releases of JAX, as 'builds add --jax' takes them: "
                   "tonight's artifacts for the CPU run on them, and what they export runs tonight")
        ->type_name("RELEASE ...");
    app.add_option("--root", releases_.root, "Where environments for releases are kept");
    app.add_option("--wheels", releases_.wheels, "Take the releases' wheels from this folder");
    app.add_option("--shard", shard_,
                   "I/N: replay the I-th of N parts by the artifacts' hashes, with --no-export and "
                   "--apart; --out names the file for its report. A task of --slurm does so")
        ->needs("--no-export");
    app.add_option("--apart", apart_,
                   "With --shard: record into an archive of the part's own in this folder, which "
                   "'vintage merge --into' brings back")
        ->needs("--shard");
    app.add_option("--policy", policy_,
                   "The promises: jax, stablehlo, or a file (docs/reference/window.md)")
        ->capture_default_str();
    speed_.addTo(app,
                 "Also measure tonight's engine beside the last night's, and each registered "
                 "release beside the one before it, on a sample of what passes on both "
                 "(docs/reference/speed.md)");
    run_.addTo(app);
    run_.addLabelTo(app);
    scope_.addTo(app);
    slurm_.addTo(app);
  }

  Result<int> run(Console& console) override {
    auto host = makePosixProcessHost();
    PhaseMeter phases([&] { return host->now(); });
    phases.begin("make the catalogue");
    options_.today = run_.today();
    options_.replay = run_.replayOptions(archive_);
    ASSIGN_OR_RETURN(options_.replay.policy, within("--policy", readPolicy(policy_)));
    options_.speed = speed_.options(options_.replay.policy.speed, options_.replay);
    options_.commandLine = commandLine;
    RETURN_IF_ERROR(checkPrimitives());
    ASSIGN_OR_RETURN(options_.scope, scope_.scope(options_.replay.policy));
    options_.exportCases = !noExport_;
    if (!releases_.releases.empty()) {
      options_.releases = releases_;
      options_.releases->today = formatDate(options_.today);
    }
    if (options_.workerProgram.empty()) {
      ASSIGN_OR_RETURN(auto worker, findWorkerProgram());
      options_.workerProgram = worker.string();
    }
    AccuracyMeter accuracy;
    options_.replay.accuracy = &accuracy;
    options_.replay.phases = &phases;
    phases.begin("open the archive");
    ASSIGN_OR_RETURN(auto archive, openArchive());
    ASSIGN_OR_RETURN(const bool isFirst, isFirstNight(archive));
    if (slurm_.given())
      options_.elsewhere = nightOnSlurm(slurm_, archive_, options_.today, archive, console);
    if (isPart()) options_.kind = kPartOfNight;

    ASSIGN_OR_RETURN(auto result, runNightly(options_, archive, *host,
                                             std::bind_front(&Console::step, &console)));
    result.summary.accuracy = accuracy.rows();
    if (isFirst && !isPart())
      result.summary.scope.leftOut.push_back(
          {"earlier nights", "this is the first night of the archive", 0});
    phases.begin("find suspects");
    ASSIGN_OR_RETURN(result.summary.suspects, findSuspects(archive, result.summary.pairs));
    ASSIGN_OR_RETURN(const auto needless, needlessLimitations(archive, result.summary.today));
    for (const NeedlessLimitation& limitation : needless)
      result.summary.needlessLimitations.push_back(needlessText(limitation));
    if (!isPart()) RETURN_IF_ERROR(writeReports(result, archive, phases));
    RETURN_IF_ERROR(finishNightly(result, archive));
    // A part's last file marks it as finished.
    if (isPart()) RETURN_IF_ERROR(writeTextFile(out_, runReportJson(result.summary)));
    print(result, console);
    return exitStatus(verdictOf(result.summary));
  }

 private:
  bool isPart() const { return !shard_.empty(); }

  Result<Archive> openArchive() const {
    if (!isPart() && !existing_) return Archive::open(archive_, Archive::Mode::kCreate);
    if (!isPart()) {
      auto archive = Archive::open(archive_, Archive::Mode::kReadWrite);
      // A folder without an archive is something that broke, and no wrong call.
      if (!archive) return ioError("--existing: {}; is its disk mounted?", archive.error().message);
      return archive;
    }
    if (slurm_.given() || speed_.given() || apart_.empty() || out_.empty())
      return usageError("--shard goes with --apart and --out, and not with --slurm or --speed");
    ASSIGN_OR_RETURN(const Shard shard, parseShard(shard_));
    ASSIGN_OR_RETURN(const auto whole, Archive::open(archive_, Archive::Mode::kReadOnly));
    return archiveOfShard(whole, apart_, shard.part, shard.parts);
  }

  Result<bool> isFirstNight(const Archive& archive) const {
    ASSIGN_OR_RETURN(const auto runs, archive.runs());
    const bool isFirst = std::ranges::none_of(runs, [](const RunRecord& run) {
      return run.kind == "nightly" && run.reporter.empty() && !run.finished.empty();
    });
    if (isFirst && existing_)
      return ioError(
          "--existing: {} holds no earlier night; is it the right one? Without "
          "--existing this is its first",
          archive_);
    return isFirst;
  }

  Status checkPrimitives() const {
    std::set<std::string> known;
    for (const Case& one : catalogue()) known.insert(one.primitive);
    for (const std::string& primitive : options_.primitives) {
      if (known.contains(primitive)) continue;
      const auto nearest = nearestWord(primitive, std::vector(known.begin(), known.end()));
      return usageError(
          "--primitive: the catalogue has no '{}'{}; 'vintage cases --count' lists what it has",
          primitive, nearest ? fmt::format(", did you mean '{}'?", *nearest) : "");
    }
    return {};
  }

  // The tables cover tonight's catalogue on tonight's build.
  Result<LimitationTables> makeTables(const NightlyResult& result, const Archive& archive) const {
    ArtifactFilter artifactFilter;
    if (result.exported) artifactFilter.producers = {result.build};
    ASSIGN_OR_RETURN(const auto artifacts, archive.list(artifactFilter));
    OutcomeFilter outcomeFilter;
    outcomeFilter.builds = {result.build};
    outcomeFilter.modes = options_.modes;
    ASSIGN_OR_RETURN(const auto outcomes, archive.outcomes(outcomeFilter));
    ASSIGN_OR_RETURN(const auto limitations, archive.limitations(result.summary.run.id));
    return makeLimitationTables({.run = result.summary.run.id,
                                 .today = result.summary.today,
                                 .build = result.build,
                                 .platforms = result.platforms,
                                 .modes = options_.modes,
                                 .artifacts = artifacts,
                                 .outcomes = outcomes,
                                 .limitations = limitations});
  }

  // Leaves in the summary where everything lies.
  Status writeReports(NightlyResult& result, const Archive& archive, PhaseMeter& phases) const {
    phases.begin("tables and reports");
    RunSummary& summary = result.summary;
    const fs::path folder =
        out_.empty() ? fs::path(archive_) / "reports" / formatDate(summary.today) : fs::path(out_);
    RETURN_IF_ERROR(within("--out", realFileSystem().createFolders(folder.string())));
    const auto write = [&](const char* what, const char* name, const std::string& text) {
      summary.places.emplace_back(what, (folder / name).string());
      return writeTextFile(folder / name, visible(text));
    };
    summary.places.emplace_back("archive", archive_);
    auto tables = makeTables(result, archive);
    if (tables) {
      RETURN_IF_ERROR(
          write("limitation tables", "limitations.md", limitationTablesMarkdown(*tables)));
      RETURN_IF_ERROR(
          write("limitation tables as JSON", "limitations.json", limitationTablesJson(*tables)));
    } else if (summary.pairs.empty()) {
      // The verdict says that nothing ran.
    } else if (tables.error().kind == Error::Kind::kNothing) {
      summary.breakages.push_back("no limitation tables: " + tables.error().message);
    } else {
      return tl::unexpected<Error>(tables.error());
    }
    RETURN_IF_ERROR(
        write("accuracy", "accuracy.md",
              "# Accuracy in units in the last place\n\n" + accuracyMarkdown(summary.accuracy)));
    RETURN_IF_ERROR(write("JUnit", "junit.xml", junitXml(summary)));
    // Last, so that the report names all the places and phases; it cannot say how
    // long it takes to write itself.
    phases.end();
    summary.phases = phases.phases();
    summary.places.emplace_back("report as JSON", (folder / "report.json").string());
    RETURN_IF_ERROR(write("report", "report.txt", ""));
    RETURN_IF_ERROR(writeTextFile(folder / "report.json", runReportJson(summary)));
    return writeTextFile(folder / "report.txt", visible(runReportText(summary)));
  }

  static void print(const NightlyResult& result, Console& console) {
    if (console.json()) {
      console.line(runReportJson(result.summary));
      return;
    }
    const GenerateReport& generated = result.generated;
    if (result.exported)
      console.line(
          "Tonight's build is {}: {} gave {}, {} of them new in the archive; not exported: {} as "
          "declared, {} refused.",
          result.build, counted(generated.cases, "case"), counted(generated.exported, "artifact"),
          generated.added, generated.declared, generated.refused.size());
    else
      console.line("Tonight's build is {}: nothing was exported, as asked.", result.build);
    const DateRange window = result.forwardWindow;
    const auto verb = [](int count, const char* one, const char* several) {
      return count == 1 ? one : several;
    };
    console.line("Builds of {} to {}: {} {} run, {} {} as a newer one, {} cannot be started here.",
                 formatDate(window.first), formatDate(window.last), result.buildsTried,
                 verb(result.buildsTried, "was", "were"), result.buildsSame,
                 verb(result.buildsSame, "is the same program", "are the same programs"),
                 result.buildsThatCannotStart);
    for (const RealRelease& release : result.releases) {
      Tally tally;
      for (const Pair& pair : result.summary.pairs)
        if (pair.outcome.build == release.build.name) tally.add(pair);
      console.line(
          "{} of {}: it exported {}, {} of them new in the archive, and could not export {}; pairs "
          "on it: {}.",
          release.producer, formatDate(release.build.buildDate),
          counted(release.exported, "artifact"), release.added, release.refused,
          tally.total() == 0 ? "none" : cellsText(tally));
    }
    console.print(runReportText(result.summary));
  }

  std::string archive_, out_, shard_, apart_, policy_ = "jax";
  NightlyOptions options_;
  EnvironmentRequest releases_;
  bool noExport_ = false, existing_ = false;
  RunOptionsOfVerb run_;
  ScopeOption scope_;
  SlurmOption slurm_;
  SpeedOption speed_;
};

}  // namespace

std::unique_ptr<Verb> makeNightlyVerb() { return std::make_unique<NightlyVerb>(); }

}  // namespace vintage::harness
