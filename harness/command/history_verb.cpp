#include <filesystem>

#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/visible_text.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/history/history.h"
#include "harness/judge/history/run_history.h"
#include "harness/runtimes/builds/producing.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

class HistoryVerb final : public Verb {
 public:
  HistoryVerb()
      : Verb("history", "Measure what real releases of JAX do with each other's artifacts",
             "vintage history --archive H --jax 0.4.30..0.12 -o docs/measured\n"
             "  vintage history --archive H -o docs/measured      (only writes the pages again)") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive; created if missing")->required();
    app.add_option("--out,-o", out_, "The folder that the pages are written to")->required();
    app.add_option("--jax", request_.releases.releases,
                   "Have these releases export and run first, as 'builds add --jax' takes them; an "
                   "interrupted call goes on")
        ->type_name("RELEASE ...");
    app.add_option("--root", request_.releases.root, "Where environments for releases are kept");
    app.add_option("--wheels", request_.releases.wheels,
                   "Take the releases' wheels from this folder");
    addDefaulted(app, "--one-of-each", request_.oneOfEach,
                 "Of JAX's harnesses one for each primitive and class of dtypes, or dtype",
                 CLI::IsMember({"class", "dtype"}));
    addDefaulted(app, "--whole", request_.whole,
                 "So many of the newest releases export all harnesses", CLI::Range(0, 1000));
    addDefaulted(app, "--cases", request_.cases, "Export only these, as 'produce' takes them",
                 CLI::IsMember(kCaseKinds));
    app.add_option("--filter", request_.filters,
                   "Export only cases whose name, primitive or variant fits, as in primitive=add*");
    app.add_flag("--no-fresh", noFresh_,
                 "Leave out processes that have lowered nothing themselves");
    run_.addTo(app);
  }

  Result<int> run(Console& console) override {
    auto host = makePosixProcessHost();
    request_.today = run_.today();
    request_.replay = run_.replayOptions(archive_);
    request_.fresh = !noFresh_;
    request_.commandLine = commandLine;
    const bool runs = !request_.releases.releases.empty();
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, runs ? Archive::Mode::kCreate
                                                                : Archive::Mode::kReadOnly));
    std::vector<std::string> problems;
    if (runs) {
      ASSIGN_OR_RETURN(problems, runHistory(request_, archive, *host,
                                            std::bind_front(&Console::step, &console)));
    }
    ASSIGN_OR_RETURN(auto history, measureHistory(archive, request_.policy, request_.today));
    ASSIGN_OR_RETURN(auto command, measuredBy(archive));
    RETURN_IF_ERROR(write(history, command));
    print(history, problems, console);
    if (!problems.empty()) return kExitCannotTell;
    return history.executions > 0 ? kExitHolds : kExitNothingRan;
  }

 private:
  // The command that ran last, where this one only writes.
  Result<std::string> measuredBy(const Archive& archive) const {
    if (!request_.releases.releases.empty()) return commandLine;
    ASSIGN_OR_RETURN(auto runs, archive.runs());
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
      if (run->reporter.empty() && run->commandLine.starts_with("vintage history "))
        return run->commandLine;
    return commandLine;
  }

  Status write(const History& history, const std::string& measuredBy) const {
    std::error_code problem;
    fs::create_directories(out_, problem);
    if (problem) return ioError("--out: {}: cannot create the folder: {}", out_, problem.message());
    for (const auto& [name, text] : historyPages(history, {measuredBy, samplingOf(request_)}))
      RETURN_IF_ERROR(writeTextFile(fs::path(out_) / name, visible(text)));
    return {};
  }

  void print(const History& history, const std::vector<std::string>& problems,
             Console& console) const {
    nlohmann::json json = toJson(history);
    json["problems"] = problems;
    console.answerLine(
        json, "{}, {}, {}; {} of promises; pages: {}", counted(history.releases.size(), "release"),
        counted(history.artifacts, "artifact"), counted(history.executions, "execution"),
        counted(history.breaks.size(), "break"), out_);
    for (const std::string& problem : problems) console.error({Error::Kind::kIo, problem});
  }

  std::string archive_, out_;
  HistoryRequest request_;
  bool noFresh_ = false;
  RunOptionsOfVerb run_;
};

}  // namespace

std::unique_ptr<Verb> makeHistoryVerb() { return std::make_unique<HistoryVerb>(); }

}  // namespace vintage::harness
