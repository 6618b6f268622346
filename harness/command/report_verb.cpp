#include "archive/store/archive.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "harness/command/described_releases.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/dashboard/report_folder.h"
#include "harness/importer/inspect.h"
#include "harness/judge/history/history.h"

namespace vintage::harness {
using namespace archive;

namespace {

std::vector<Result<std::string>> textsHere(const Archive& archive,
                                           std::span<const ArtifactRecord> records, int jobs) {
  std::vector<Result<std::vector<std::byte>>> contents;
  std::vector<ArtifactToInspect> artifacts;
  for (const ArtifactRecord& record : records) contents.push_back(archive.read(record.id));
  for (size_t index = 0; index < records.size(); ++index)
    if (contents[index])
      artifacts.push_back(
          {*contents[index], records[index].name, {.text = golden::Program::PrintOptions()}});
  const auto inspections = inspectArtifacts(artifacts, jobs);
  std::vector<Result<std::string>> texts;
  size_t next = 0;
  for (const auto& content : contents)
    if (!content)
      texts.push_back(tl::unexpected(content.error()));
    else
      texts.push_back(inspections[next++].map([](const Inspection& one) { return one.text; }));
  return texts;
}

class ReportVerb final : public Verb {
 public:
  ReportVerb()
      : Verb("report", "Write the dashboard as files that a browser opens without a server",
             "vintage report --archive A --html dashboard\n"
             "  vintage report --archive A --html dashboard --pairs 0   # tables and plots alone\n"
             "  vintage report --archive A --html site --history history.json --facts facts\n"
             "  vintage serve --archive A --anonymous read              # the whole, at /") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    app.add_option("--html", options_.folder,
                   "The folder: a new one, an empty one, or an earlier report")
        ->required();
    addDefaulted(app, "--builds", options_.buildsWithPairs,
                 "The newest builds whose cells list their pairs; the tables show all");
    addDefaulted(app, "--pairs", options_.mostPairs,
                 "Pairs that get a page with message and module, those that failed first");
    addDefaulted(app, "--jobs", jobs_, "Processes that read modules", CLI::Range(1, 256));
    auto* history = app.add_option(
        "--history", history_,
        "A history that 'vintage history' measured (history.json): the report becomes a site to "
        "look things up, with search, 'can I upgrade?', badges and a feed");
    app.add_option(
           "--others", others_,
           "Measurements of other products, such as TensorFlow, for that site: forward.json "
           "of bench/forward, tables of 'vintage tables --consumers' (.md)")
        ->type_name("FILE ...")
        ->needs(history);
    app.add_option("--title", options_.title, "The title of that site")->needs(history);
    app.add_option("--address", options_.address,
                   "Where the folder is published (https://…): links of the feed are whole then")
        ->needs(history);
    releases_.addTo(app, "for targets and versions (default: all whose facts the archive knows)");
    today_.addTo(app);
  }

  Result<int> run(Console& console) override {
    ASSIGN_OR_RETURN(const auto archive, Archive::open(archive_, Archive::Mode::kReadOnly));
    const PageContext context{archive, archive_, today_.date(),
                              [this](const Archive& from, std::span<const ArtifactRecord> records) {
                                return textsHere(from, records, jobs_);
                              }};
    RETURN_IF_ERROR(readSite(archive));
    ASSIGN_OR_RETURN(
        const auto written,
        writeReport(context, options_, std::bind_front(&Console::progress, &console, "report")));
    const std::string index = options_.folder + "/index.html";
    if (console.json()) {
      console.printJson({{"index", index},
                         {"files", written.files},
                         {"bytes", written.bytes},
                         {"pairs", written.pairs},
                         {"pairs_left_out", written.pairsLeftOut}});
      return kExitHolds;
    }
    console.line("{} of {:.1f} MB, {} with message and module: open {}",
                 counted(written.files, "file"), static_cast<double>(written.bytes) / 1e6,
                 counted(written.pairs, "pair"), index);
    if (written.pairsLeftOut > 0)
      console.line("without a page of their own: {}; --pairs {} writes all",
                   counted(written.pairsLeftOut, "failed pair"),
                   written.pairs + written.pairsLeftOut);
    return kExitHolds;
  }

 private:
  Status readSite(const Archive& archive) {
    if (releases_.given()) {
      ASSIGN_OR_RETURN(options_.releases, releases_.read(&archive));
    }
    if (history_.empty()) return {};
    ASSIGN_OR_RETURN(options_.history, readHistory(history_));
    if (!others_.empty()) {
      ASSIGN_OR_RETURN(options_.others, readOthers(others_, options_.history));
    }
    if (options_.title.empty()) options_.title = "Releases of JAX on each other's artifacts";
    std::string& address = options_.address;
    if (address.empty()) return {};
    if (!address.starts_with("https://") && !address.starts_with("http://"))
      return usageError("--address {}: an address that begins with https:// is expected", address);
    if (!address.ends_with('/')) address += '/';
    return {};
  }

  std::string archive_, history_;
  std::vector<std::string> others_;
  DescribedReleasesOptions releases_;
  TodayOption today_;
  ReportOptions options_;
  int jobs_ = 2;
};

}  // namespace

std::unique_ptr<Verb> makeReportVerb() { return std::make_unique<ReportVerb>(); }

}  // namespace vintage::harness
