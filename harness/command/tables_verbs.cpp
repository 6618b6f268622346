#include <optional>

#include <fmt/format.h>

#include "archive/store/archive.h"
#include "golden/base/counted.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"
#include "golden/base/visible_text.h"
#include "harness/command/described_releases.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/judge/tables/comparison.h"
#include "harness/judge/tables/consumer_table.h"
#include "harness/judge/tables/propose.h"
#include "harness/judge/tables/reconcile.h"
#include "harness/judge/tables/table_pages.h"
#include "harness/judge/tables/target_life.h"
#include "harness/replay/consumer_limitations.h"

namespace vintage::harness {
using namespace archive;

namespace {

// The page to a file, or printed: as JSON where that is asked for.
Result<int> show(const std::string& page, const nlohmann::ordered_json& json,
                 const std::string& out, Console& console) {
  if (!out.empty()) {
    RETURN_IF_ERROR(writeTextFile(out, visible(page)));
    console.line("written to {}", out);
  } else if (console.json()) {
    console.printJson(json);
  } else {
    console.print(page);
  }
  return kExitHolds;
}

// Which tables `tables` and `limitations` read.
class TableOptionsOfVerb {
 public:
  void addTo(CLI::App& app) {
    app.add_option("--archive", archive, "The archive");
    app.add_option("--build", options_.build,
                   "The consumer to report on (default: the newest with a result)");
    app.add_option("--mode", options_.modes, "Only these modes (default: all with a result)");
    app.add_option("--by", options_.reporter,
                   "Only what this reporter recorded ('vintage list --runs'); without it only the "
                   "archive's own results count");
    today_.addTo(app);
  }

  Result<TableOptions> options() const {
    if (archive.empty()) return usageError("give the --archive that holds the results");
    TableOptions options = options_;
    options.today = today_.date();
    options.archiveArgument = archive;
    return options;
  }

  std::string archive;

 private:
  TableOptions options_;
  TodayOption today_;
};

// `vintage tables --consumers`: what works where, of all consumers side by side.
class ConsumerTables {
 public:
  void addTo(CLI::App& app) {
    app.add_option("--producer", producers_,
                   "With --consumers, --against and --published: only artifacts of these")
        ->type_name("NAME ...");
    app.add_flag("--consumers", asked_,
                 "Instead: all consumers (or those of --build) side by side; with --out, "
                 "a file that ends with .md, .html, .json or .csv, or text");
    app.add_option("--against", against_,
                   "Instead: uses that fail on --build and work on this consumer")
        ->type_name("BUILD");
    app.add_option("--published", published_,
                   "Instead: the limitations of this file beside what is recorded on --build")
        ->type_name("FILE");
  }

  bool asked() const { return asked_ || !against_.empty() || !published_.empty(); }

  // `out`: a file, whose end says the form; empty: printed.
  Result<int> run(const TableOptions& options, const std::string& out, Console& console) const {
    const std::string &archiveName = options.archiveArgument, &build = options.build;
    if (build.empty() && !(against_.empty() && published_.empty()))
      return usageError("--against and --published compare one consumer: name it with --build");
    ASSIGN_OR_RETURN(auto archive, Archive::open(archiveName, Archive::Mode::kReadOnly));
    std::vector<std::string> builds;
    if (!build.empty()) builds.push_back(build);
    if (!against_.empty()) builds.push_back(against_);
    ASSIGN_OR_RETURN(auto table, makeConsumerTable(archive, {builds, options.modes, producers_,
                                                             options.reporter}));
    if (!published_.empty()) {
      ASSIGN_OR_RETURN(auto published, parseFile(published_, parsePublished));
      const PublishedComparison comparison = comparePublished(table, build, std::move(published));
      return show(publishedPage(comparison), publishedJson(comparison), out, console);
    }
    if (!against_.empty()) {
      ASSIGN_OR_RETURN(const auto lacking, lackingAgainst(table, build, against_));
      return show(lackingText(lacking, build, against_), lackingJson(lacking), out, console);
    }
    return show(consumerTable(table, tableFormOf(out)), consumerTableJson(table), out, console);
  }

 private:
  bool asked_ = false;
  std::string against_, published_;
  std::vector<std::string> producers_;
};

class TablesVerb final : public Verb {
 public:
  TablesVerb()
      : Verb("tables",
             "Write the limitation tables from recorded results and declarations, or check them",
             "vintage tables --archive A -o docs/tables --check\n"
             "  vintage tables --archive A --consumers -o consumers.md\n"
             "  vintage tables --archive A --build mine --against tensorflow-2.21.0\n"
             "  vintage tables --archive A --by lab -o lab     # what the token 'lab' reported\n"
             "  vintage tables --targets --releases 0.4.30..0.12 --archive A -o targets.md") {}
  void addOptions(CLI::App& app) override {
    common_.addTo(app);
    app.add_option("-o,--out", out_,
                   "Write the pages to this folder; with --targets, the page to this file");
    consumers_.addTo(app);
    auto* targets = app.add_flag("--targets", targets_,
                                 "Instead: from when to when releases register, list and emit each "
                                 "custom-call target");
    releases_.addTo(app, "for --targets");
    for (const char* name : {"--releases", "--facts"}) app.get_option(name)->needs(targets);
    app.add_option("--page", pages_, "Only these pages (default: all)")
        ->check(CLI::IsMember(
            std::vector<std::string>(std::begin(kTablePages), std::end(kTablePages))));
    app.add_flag("--check", check_,
                 "Write nothing; fail if a page is missing, empty or out of date");
  }

  Result<int> run(Console& console) override {
    if (targets_) return writeTargets(console);
    ASSIGN_OR_RETURN(auto options, common_.options());
    if (consumers_.asked()) return consumers_.run(options, out_, console);
    if (out_.empty()) return usageError("give the folder of the pages with --out");
    options.pages = {pages_.begin(), pages_.end()};
    ASSIGN_OR_RETURN(auto archive, Archive::open(common_.archive, Archive::Mode::kReadWrite));
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(auto pages, makeTablePages(options, archive, *host));
    if (!check_) RETURN_IF_ERROR(writeTablePages(out_, pages));
    const auto problems = check_ ? compareTablePages(out_, pages) : std::vector<std::string>();
    if (console.json()) {
      nlohmann::json result{{"folder", out_}, {"problems", problems}};
      result["pages"] = nlohmann::json::array();
      for (const TablePage& page : pages) result["pages"].push_back(page.name);
      console.printJson(result);
    } else {
      for (const std::string& problem : problems) console.line(problem);
      console.line(!check_ ? fmt::format("{} pages written to {}", pages.size(), out_)
                   : problems.empty()
                       ? fmt::format("{} pages in {} are current", pages.size(), out_)
                       : fmt::format("{} of {} pages in {} are not current; write "
                                     "them with the same command without --check",
                                     problems.size(), pages.size(), out_));
    }
    return problems.empty() ? kExitHolds : kExitDoesNotHold;
  }

 private:
  Result<int> writeTargets(Console& console) const {
    if (!releases_.given())
      return usageError("--targets needs --releases FROM..TO with --archive, or --facts FOLDER");
    std::optional<Archive> archive;
    if (!common_.archive.empty()) {
      ASSIGN_OR_RETURN(archive, Archive::open(common_.archive, Archive::Mode::kReadOnly));
    }
    ASSIGN_OR_RETURN(const auto described, releases_.read(archive ? &*archive : nullptr));
    if (described.empty())
      return vintage::notFound(
          "{}: the facts of no release are known there; 'vintage builds "
          "describe BUILD --emitted' keeps a build's",
          releases_.place());
    const auto lives = targetLives(described);
    if (!out_.empty())
      RETURN_IF_ERROR(writeTextFile(out_, visible(targetTablePage(lives, described))));
    if (console.json())
      console.printJson(targetTableJson(lives));
    else if (out_.empty())
      console.print(targetTableText(lives));
    else
      console.line(fmt::format("{} of {} written to {}", counted(lives.size(), "target"),
                               counted(described.size(), "release"), out_));
    return kExitHolds;
  }

  TableOptionsOfVerb common_;
  ConsumerTables consumers_;
  DescribedReleasesOptions releases_;
  std::string out_;
  std::vector<std::string> pages_;
  bool check_ = false, targets_ = false;
};

class LimitationsVerb final : public Verb {
 public:
  LimitationsVerb()
      : Verb("limitations",
             "Compare the declared limitations with recorded outcomes, and print the edit",
             "vintage limitations reconcile --archive A\n"
             "  vintage limitations --propose --archive A --build tensorflow-2.21.0 -o "
             "limitations.json\n"
             "  vintage limitations declare limitations.json --archive A") {}
  void addOptions(CLI::App& app) override {
    common_.addTo(app);
    app.add_flag("--propose", propose_,
                 "Propose declarations of what fails on real consumers (of --build, or all), and "
                 "name those that are not needed");
    app.add_option("--producer", producers_, "With --propose: only artifacts of these")
        ->type_name("NAME ...");
    addDefaulted(app, "--expires-after", days_,
                 "With --propose: the days after which a declaration is looked at again",
                 CLI::Range(1, 3660));
    app.add_option("-o,--out", out_,
                   "With --propose: write what would be declared to this file, which 'declare' "
                   "reads");
    reconcile_ = app.add_subcommand(
        "reconcile",
        "Print new failures of the catalogue to declare, and declarations that no longer fail");
    declare_ = app.add_subcommand(
        "declare",
        "Declare the limitations of a file for an archive, in the place of those before");
    declare_->add_option("FILE", file_, "As --propose -o wrote it (docs/reference/verdicts.md)")
        ->required();
    for (CLI::App* each : {reconcile_, declare_}) each->fallthrough();
    app.require_subcommand(0, 1);
  }

  Result<int> run(Console& console) override {
    if (int(propose_) + int(reconcile_->parsed()) + int(declare_->parsed()) != 1)
      return usageError("say what to do: --propose, reconcile or declare FILE");
    ASSIGN_OR_RETURN(auto options, common_.options());
    ASSIGN_OR_RETURN(auto archive, Archive::open(common_.archive, Archive::Mode::kReadOnly));
    if (declare_->parsed()) return declare(archive, console);
    return propose_ ? propose(options, archive, console) : reconcile(options, archive, console);
  }

 private:
  static Result<int> reconcile(const TableOptions& options, const Archive& archive,
                               Console& console) {
    ASSIGN_OR_RETURN(auto recorded, readTables(options, archive));
    const auto edits = reconcileLimitations(recorded.tables);
    ASSIGN_OR_RETURN(const auto needless, needlessLimitations(archive, options.today));
    console.answer(editsJson(edits, needless), editsText(edits, needless));
    return edits.empty() && needless.empty() ? kExitHolds : kExitDoesNotHold;
  }

  Result<int> propose(const TableOptions& options, const Archive& archive, Console& console) const {
    ConsumerChoice choice;
    if (!options.build.empty()) choice.builds = {options.build};
    choice.modes = options.modes;
    choice.producers = producers_;
    choice.reporter = options.reporter;
    ASSIGN_OR_RETURN(auto table, makeConsumerTable(archive, choice));
    ASSIGN_OR_RETURN(auto declared, consumerLimitations(archive));
    const Proposals proposals = proposeLimitations(table, declared, {options.today, days_});
    console.answer(proposalsJson(proposals), proposalsText(proposals));
    const bool asDeclared = proposals.declare.empty() && proposals.needless.empty();
    if (out_.empty()) return asDeclared ? kExitHolds : kExitDoesNotHold;
    RETURN_IF_ERROR(writeTextFile(out_, toJson(asProposed(declared, proposals)).dump(1) + "\n"));
    if (!console.json())
      console.line("written to {}; 'vintage limitations declare {} --archive {}' declares it", out_,
                   out_, common_.archive);
    return kExitHolds;
  }

  Result<int> declare(const Archive& archive, Console& console) const {
    ASSIGN_OR_RETURN(auto text, readTextFile(file_));
    ASSIGN_OR_RETURN(auto limitations, parseConsumerLimitations(text, file_));
    RETURN_IF_ERROR(declareLimitations(archive, limitations));
    console.answerLine({{"declared", limitations.size()}}, "declared for {}: {}", common_.archive,
                       counted(limitations.size(), "limitation"));
    return kExitHolds;
  }

  TableOptionsOfVerb common_;
  CLI::App *reconcile_ = nullptr, *declare_ = nullptr;
  std::vector<std::string> producers_;
  std::string out_, file_;
  int days_ = ProposalChoice().expiresAfterDays;
  bool propose_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeTablesVerb() { return std::make_unique<TablesVerb>(); }
std::unique_ptr<Verb> makeLimitationsVerb() { return std::make_unique<LimitationsVerb>(); }

}  // namespace vintage::harness
