#include <filesystem>

#include <fmt/format.h>

#include "harness/builds/builds.h"
#include "harness/command/run_options.h"
#include "harness/command/verb.h"
#include "harness/import/file.h"
#include "harness/nightly/nightly.h"
#include "harness/window/window.h"
#include "reports/junit.h"
#include "reports/limitation_tables.h"
#include "reports/run_report.h"

namespace vintage {
namespace {

namespace fs = std::filesystem;

class NightlyVerb final : public Verb {
 public:
  const char* name() const override { return "nightly"; }
  const char* summary() const override {
    return "The main job: export tonight's artifacts, replay both windows, judge, report";
  }
  const char* example() const override {
    return "vintage nightly --archive A --out reports --today 2026-03-01";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive; made where there is none")->required();
    app.add_option("--out", out_, "Folder for the reports (default: reports/DATE in the archive)");
    app.add_option("--mode", mode_, "graph, eager or compiled")
        ->capture_default_str()
        ->check(CLI::IsMember({"graph", "eager", "compiled"}));
    app.add_option("--primitive", primitives_, "Only these primitives (default: all)");
    run_.addTo(app);
  }

  Result<int> run(Console& console) override {
    NightlyOptions options;
    auto today = run_.today();
    if (!today) return tl::unexpected<Error>(today.error());
    options.today = *today;
    auto replay = run_.replayOptions(archive_);
    if (!replay) return tl::unexpected<Error>(replay.error());
    options.replay = *replay;
    options.mode = mode_;
    options.commandLine = commandLine;
    options.primitives = primitives_;
    auto worker = findWorkerProgram();
    if (!worker) return tl::unexpected<Error>(worker.error());
    options.workerProgram = worker->string();
    auto archive = Archive::open(archive_, Archive::Mode::kCreate);
    if (!archive) return tl::unexpected<Error>(archive.error());

    auto host = makePosixProcessHost();
    auto result = runNightly(options, *archive, *host,
                             [&](const std::string& phase, size_t done, size_t total) {
                               console.progress(phase, done, total);
                             });
    if (!result) return tl::unexpected<Error>(result.error());
    if (Status status = writeReports(*result, *archive); !status)
      return tl::unexpected<Error>(status.error());
    if (Status status = finishNightly(*result, *archive); !status)
      return tl::unexpected<Error>(status.error());
    tell(*result, console);
    return exitStatus(verdictOf(result->summary));
  }

 private:
  Status writeReports(NightlyResult& result, Archive& archive) const;

  static void tell(const NightlyResult& result, Console& console) {
    if (console.json()) {
      console.line(runReportJson(result.summary));
      return;
    }
    const GenerateReport& generated = result.generated;
    console.line(fmt::format("Tonight's build is {}: {} cases gave {} artifacts, {} of them new in "
                             "the archive; {} were not exported, as declared, {} could not be.",
                             result.build, generated.cases, generated.exported, generated.added,
                             generated.declared, generated.refused.size()));
    const DateRange window = forwardWindow(result.summary.today);
    console.line(fmt::format("Builds of {} to {}: {} were run, {} are the same program as a newer "
                             "one, {} cannot be started here.",
                             formatDate(window.first), formatDate(window.last), result.buildsTried,
                             result.buildsSame, result.buildsThatCannotStart));
    console.print(runReportText(result.summary));
  }

  std::string archive_, out_, mode_ = "graph";
  std::vector<std::string> primitives_;
  RunOptionsOfVerb run_;
};

}  // namespace

std::unique_ptr<Verb> makeNightlyVerb() { return std::make_unique<NightlyVerb>(); }

}  // namespace vintage
