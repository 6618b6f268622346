#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "golden/content_hash.h"
#include "harness/bisect/bisect_report.h"
#include "harness/bisect/commits.h"
#include "harness/bisect/drive.h"
#include "harness/bisect/sequence.h"
#include "harness/bisect/subject.h"
#include "harness/builds/build_details.h"
#include "harness/builds/builds.h"
#include "harness/builds/kept_program.h"
#include "harness/command/verb.h"
#include "harness/import/file.h"
#include "harness/localize/localize.h"
#include "harness/localize/reduced_files.h"

namespace vintage {
namespace {

namespace fs = std::filesystem;

constexpr size_t kKeyCharacters = 16;
constexpr size_t kShownCommitCharacters = 12;

class BisectVerb final : public Verb {
 public:
  const char* name() const override { return "bisect"; }
  const char* summary() const override {
    return "Find the first build, and the first commit, at which an artifact stopped working";
  }
  const char* example() const override {
    return "vintage bisect --archive A --case 'tanh_f32[8,8]'\n"
           "  vintage bisect --archive A --artifact 6421a072e9f1 --good 2026-10-01 --bad "
           "2026-11-20 "
           "\\\n      --repo ../compiler --build 'ninja -C out worker' --worker out/worker";
  }
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", archive_, "The archive")->required();
    auto* artifact = app.add_option("--artifact", choice_.artifact,
                                    "An artifact's id, its first characters, or its name");
    app.add_option("--case", choice_.caseId, "A case: its newest artifact")->excludes(artifact);
    app.add_option("--platform", choice_.platform, "Default: the artifact's first that a build runs");
    app.add_option("--mode", choice_.mode, "graph, eager or compiled")
        ->capture_default_str()
        ->check(CLI::IsMember({"graph", "eager", "compiled"}));
    app.add_option("--good", ends_.good,
                   "A build that works, a day, or with --repo a commit (default: walk back)");
    app.add_option("--bad", ends_.bad,
                   "A build that fails, a day, or a commit (default: the newest that starts)");
    auto* repository = app.add_option("--repo", recipe_.repository,
                                      "Go on over the commits of this git repository");
    auto* build =
        app.add_option("--build", recipe_.buildCommand, "Builds a worker in a checkout; run by sh")
            ->needs(repository);
    auto* worker =
        app.add_option("--worker", recipe_.worker, "The worker's program, relative to the checkout")
            ->needs(repository);
    repository->needs(build)->needs(worker);
    app.add_option("--build-timeout", buildSeconds_, "Seconds for one build")
        ->capture_default_str()
        ->check(CLI::Range(1, 604800));
    app.add_option("--probes", probes_,
                   "Builds or commits that are tried at once (default: one for each processor, "
                   "at least 2)")
        ->check(CLI::Range(1, 64));
    app.add_option("--executions", search_.executions, "Executions of one probe")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
    app.add_option("--confidence", search_.confidence, "At which a culprit is named")
        ->capture_default_str()
        ->check(CLI::Range(0.5, 0.999999));
    app.add_option("--spot-checks", search_.spotCheckRounds,
                   "Rounds that look for further transitions among the builds")
        ->capture_default_str()
        ->check(CLI::Range(0, 100));
    app.add_option("--most-rounds", search_.mostRounds, "Give up after so many")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000));
    app.add_flag("--fresh", fresh_, "Forget what earlier runs asked");
    auto* localize = app.add_flag("--localize", localize_,
                                  "Then find the first operation whose value differs, and a "
                                  "reduced module that still fails");
    app.add_option("--reference", reference_,
                   "What --localize compares with: a build, or 'engine' (default: the last good "
                   "one, else the embedded engine)")
        ->needs(localize);
    app.add_option("--timeout", timeoutSeconds_, "Seconds for one execution")
        ->capture_default_str()
        ->check(CLI::Range(0.001, 86400.0));
    app.add_option("--memory", memoryGibibytes_, "GiB of address space for one worker")
        ->capture_default_str()
        ->check(CLI::Range(0.5, 4096.0));
  }

  Result<int> run(Console& console) override {
    if (choice_.artifact.empty() == choice_.caseId.empty())
      return failure(Error::Kind::kUsage, "say what fails: --artifact ID or --case ID");
    auto archive = Archive::open(archive_, Archive::Mode::kReadWrite);
    if (!archive) return tl::unexpected<Error>(archive.error());
    limits_.timeout = std::chrono::milliseconds(static_cast<int64_t>(timeoutSeconds_ * 1000));
    limits_.memoryLimitBytes = static_cast<size_t>(memoryGibibytes_ * double(size_t{1} << 30));
    search_.probesAtOnce =
        probes_ > 0 ? probes_ : static_cast<int>(std::max(2u, std::thread::hardware_concurrency()));
    recipe_.buildTime = std::chrono::seconds(buildSeconds_);
    auto subject = loadSubject(*archive, choice_);
    if (!subject) return tl::unexpected<Error>(subject.error());
    subject_ = std::move(*subject);

    int status = kExitNothingRan;
    if (!overCommitsOnly(*archive)) {
      auto searched = searchBuilds(*archive, console);
      if (!searched) return tl::unexpected<Error>(searched.error());
      status = *searched;
    }
    if (goesOnOverCommits()) {
      auto searched = searchCommits(*archive, console);
      if (!searched) return tl::unexpected<Error>(searched.error());
      status = *searched;
    }
    return report(console, status);
  }

 private:
  // --good and --bad are commits and no builds, or there are no builds.
  bool overCommitsOnly(const Archive& archive) const {
    if (recipe_.repository.empty()) return false;
    if (chooseBuilds(archive, ends_)) return false;
    for (const std::string& end : {ends_.good, ends_.bad})
      if (!end.empty() && !findCommit(recipe_.repository, end)) return false;
    return true;
  }

  bool goesOnOverCommits() const {
    if (recipe_.repository.empty()) return false;
    if (searches_.empty()) return true;
    const SearchVerdict verdict = searches_.back().conclusion.verdict;
    return verdict == SearchVerdict::kFound || verdict == SearchVerdict::kCandidates ||
           verdict == SearchVerdict::kGaveUp || verdict == SearchVerdict::kNoGood;
  }

  Result<Journal> openJournal(const std::string& what, std::vector<SequenceMember> members) {
    const std::string key =
        contentHash(fmt::format("{}\n{}\n{}\n{}\n{}", subject_.record.id, subject_.record.golden,
                                subject_.platform, subject_.mode, what))
            .substr(0, kKeyCharacters);
    record_ = fs::path(archive_) / "bisect" / (key + ".json");
    const fs::path path = fs::path(archive_) / "bisect" / (key + ".jsonl");
    std::error_code ignored;
    if (fresh_) fs::remove(path, ignored);
    return Journal::open(path, std::move(members));
  }

  Result<int> searchBuilds(Archive& archive, Console& console) {
    auto sequence = chooseBuilds(archive, ends_);
    if (!sequence) return tl::unexpected<Error>(sequence.error());
    auto known = fresh_ ? std::vector<Round>() : recordedOutcomes(archive, subject_, *sequence);
    if (!known) return tl::unexpected<Error>(known.error());
    auto journal = openJournal("builds", sequence->members());
    if (!journal) return tl::unexpected<Error>(journal.error());
    BuildProbes probes(subject_, sequence->builds, archive_, limits_);
    SearchReport report;
    report.over = "builds";
    for (const BuildRecord& build : sequence->builds) {
      report.names.push_back(build.name);
      report.labels.push_back(build.name.find(formatDate(build.buildDate)) == std::string::npos
                                  ? fmt::format("{} of {}", build.name, formatDate(build.buildDate))
                                  : build.name);
    }
    auto status = search(sequence->problem, search_, *known, probes, *journal, report, console);
    builds_ = std::move(sequence->builds);
    if (status && localize_ && isFailure() && !goesOnOverCommits()) {
      const SearchConclusion& found = searches_.back().conclusion;
      auto host = makePosixProcessHost();
      auto bad = readyToStart(builds_[found.candidates.back()], archive_, *host);
      if (!bad) return tl::unexpected<Error>(bad.error());
      std::vector<std::string> good;
      if (const auto position = lastGood())
        if (auto ready = readyToStart(builds_[*position], archive_, *host)) good = ready->command;
      localizeBetween(archive, bad->command, good, console);
    }
    return status;
  }

  // There is something that fails, and a worker that shows it.
  bool isFailure() const {
    const SearchConclusion& found = searches_.back().conclusion;
    return !found.candidates.empty() && !found.kind.empty();
  }
  // The position before the candidates, where it is known to pass.
  std::optional<size_t> lastGood() const {
    const SearchConclusion& found = searches_.back().conclusion;
    if (found.verdict != SearchVerdict::kFound && found.verdict != SearchVerdict::kCandidates)
      return std::nullopt;
    return found.candidates.front() - 1;
  }

  Result<std::vector<std::string>> referenceCommand(const Archive& archive,
                                                    std::vector<std::string> lastGood) const {
    if (reference_.empty() && !lastGood.empty()) return lastGood;
    if (reference_.empty() || reference_ == "engine") {
      auto worker = findWorkerProgram();
      if (!worker) return tl::unexpected<Error>(worker.error());
      return std::vector<std::string>{worker->string()};
    }
    auto build = findBuild(archive, reference_);
    if (!build) return tl::unexpected<Error>(build.error());
    auto host = makePosixProcessHost();
    auto ready = readyToStart(*build, archive_, *host);
    if (!ready) return tl::unexpected<Error>(ready.error());
    return ready->command;
  }

  // What goes wrong here does not undo what the search found.
  void localizeBetween(const Archive& archive, const std::vector<std::string>& bad,
                       std::vector<std::string> good, Console& console) {
    auto reference = referenceCommand(archive, std::move(good));
    if (!reference) {
      localization_ = "could not be localized: " + reference.error().message;
      return;
    }
    console.note("localizing: which operation's value differs first");
    LocalizeOptions options;
    options.limits = limits_;
    auto found = localize(subject_, bad, *reference, options);
    if (!found) {
      localization_ = "could not be localized: " + found.error().message;
      return;
    }
    localization_ = describe(*found);
    localizationJson_ = toJson(*found);
    if (found->reduced.module.empty()) return;
    const fs::path folder = fs::path(record_).replace_extension("reduced");
    if (Status status = writeReduced(*found, subject_, folder); !status)
      localization_ += "\nthe reduced module could not be written: " + status.error().message;
    else
      localization_ += fmt::format("\nthe reduced module: {} (vintage import takes the folder)",
                                   folder.string());
  }

  Result<int> searchCommits(const Archive& archive, Console& console) {
    auto range = commitRange();
    if (!range) return tl::unexpected<Error>(range.error());
    auto commits = commitsBetween(recipe_.repository, range->first, range->second);
    if (!commits) return tl::unexpected<Error>(commits.error());
    std::error_code ignored;
    const std::string repository = fs::canonical(recipe_.repository, ignored).string();
    auto journal = openJournal("commits of " + repository, membersOf(*commits, recipe_));
    if (!journal) return tl::unexpected<Error>(journal.error());
    SearchProblem problem;
    problem.count = commits->size();
    problem.bad = commits->size() - 1;
    if (range->first) problem.good = 0;
    SearchOptions options = search_;
    // A commit costs a build: no looking around.
    options.spotCheckRounds = 0;
    options.allTransitions = false;
    SearchReport report;
    report.over = "commits";
    for (const Commit& commit : *commits) {
      report.names.push_back(commit.id);
      report.labels.push_back(fmt::format("{} {} {} ({})",
                                          commit.id.substr(0, kShownCommitCharacters), commit.date,
                                          commit.subject, commit.author));
    }
    CommitProbes probes(subject_, *commits, recipe_,
                        fs::path(record_).replace_extension("checkouts"), limits_);
    auto status = search(problem, options, {}, probes, *journal, report, console);
    if (status && localize_ && isFailure()) {
      auto bad = probes.build(searches_.back().conclusion.candidates.back(), 0);
      if (!bad) return tl::unexpected<Error>(bad.error());
      std::vector<std::string> good;
      if (const auto position = lastGood(); position && reference_.empty()) {
        auto built = probes.build(*position, 1);
        if (!built) return tl::unexpected<Error>(built.error());
        good = built->command;
      }
      if (!bad->problem) localizeBetween(archive, bad->command, std::move(good), console);
    }
    return status;
  }

  // The commit that a build was registered with, where the repository has it;
  // else the last one before its day, or before so many days later.
  Result<std::optional<std::string>> commitOf(const BuildRecord& build,
                                              std::chrono::days later) const {
    if (const auto details = buildDetails(build); details && details->commit)
      if (auto commit = findCommit(recipe_.repository, details->commit->id))
        return std::optional(*commit);
    return lastCommitBefore(recipe_.repository, build.buildDate + later);
  }

  // From what was named, or from the builds on both sides of the culprit.
  Result<std::pair<std::optional<std::string>, std::string>> commitRange() const {
    std::optional<std::string> good;
    std::string bad = "HEAD";
    if (builds_.empty()) {
      if (!ends_.good.empty()) good = ends_.good;
      if (!ends_.bad.empty()) bad = ends_.bad;
    } else {
      const std::vector<size_t>& candidates = searches_.back().conclusion.candidates;
      if (candidates.front() > 0) {
        auto commit = commitOf(builds_[candidates.front() - 1], std::chrono::days(0));
        if (!commit) return tl::unexpected<Error>(commit.error());
        good = *commit;
      }
      auto commit = commitOf(builds_[candidates.back()], std::chrono::days(1));
      if (!commit) return tl::unexpected<Error>(commit.error());
      if (!*commit)
        return failure(Error::Kind::kUsage,
                       fmt::format("--repo: {} has no commit as old as the build {}",
                                   recipe_.repository, builds_[candidates.back()].name));
      bad = **commit;
    }
    auto badId = findCommit(recipe_.repository, bad);
    if (!badId) return tl::unexpected<Error>(badId.error());
    if (!good) return std::pair(std::optional<std::string>(), *badId);
    auto goodId = findCommit(recipe_.repository, *good);
    if (!goodId) return tl::unexpected<Error>(goodId.error());
    return std::pair(std::optional(*goodId), *badId);
  }

  Result<int> search(const SearchProblem& problem, const SearchOptions& options,
                     const std::vector<Round>& known, ProbeRunner& probes, Journal& journal,
                     SearchReport report, Console& console) {
    report.probesRemembered = journal.probesRemembered();
    SearchEvents events;
    events.roundBegins = [&](const Round& round, int number) {
      std::string names;
      for (size_t position : round.positions) names += " " + report.labels[position];
      console.note(fmt::format("round {} ({}):{}", number, purposeName(round.purpose), names));
    };
    events.answered = [&](size_t position, const ProbeReport& answer) {
      console.note(fmt::format("  {}: {}", report.labels[position], summaryOf(answer)));
    };
    auto found = driveSearch(problem, options, known, probes, journal, events, report.probesMade);
    if (!found) return tl::unexpected<Error>(found.error());
    report.conclusion = std::move(*found);
    for (size_t i = 0; i < report.names.size(); ++i) {
      const ProbeReport* last = journal.lastReport(i);
      report.lastDetail.push_back(last ? last->detail : "");
    }
    searches_.push_back(std::move(report));
    return exitStatusOf(problem, searches_.back().conclusion);
  }

  static std::string summaryOf(const ProbeReport& answer) {
    if (!answer.answer.started) return "not started: " + answer.answer.problem;
    const auto passed = std::ranges::count(answer.answer.failures, "");
    const size_t all = answer.answer.failures.size();
    if (static_cast<size_t>(passed) == all) return "passes";
    return fmt::format("{}{}", failureKind(answer.outcome, answer.stage, answer.detail),
                       passed == 0 ? "" : fmt::format(", and passes {} of {} times", passed, all));
  }

  int exitStatusOf(const SearchProblem& problem, const SearchConclusion& found) const {
    switch (found.verdict) {
      case SearchVerdict::kFound:
        return kExitDoesNotHold;
      case SearchVerdict::kDoesNotFail:
        return ends_.bad.empty() ? kExitHolds : kExitWrongCall;
      case SearchVerdict::kGoodEndFails:
        return ends_.good.empty() ? kExitCannotTell : kExitWrongCall;
      case SearchVerdict::kNothingStarts:
        return kExitNothingRan;
      default:
        return kExitCannotTell;
    }
  }

  Result<int> report(Console& console, int status) const {
    BugReport bug;
    bug.subject = &subject_;
    bug.searches = searches_;
    bug.commandLine = commandLine;
    bug.localization = localization_;
    const std::string text = describe(bug);
    nlohmann::json json{{"artifact", subject_.record.id},
                        {"name", subject_.record.name},
                        {"platform", subject_.platform},
                        {"mode", subject_.mode},
                        {"searches", nlohmann::json::array()},
                        {"text", text},
                        {"exit_status", status}};
    for (const SearchReport& search : searches_) json["searches"].push_back(toJson(search));
    if (!localizationJson_.is_null()) json["localization"] = localizationJson_;
    if (Status written = writeTextFile(
            record_, json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        !written)
      return tl::unexpected<Error>(written.error());
    if (console.json()) {
      console.printJson(json);
    } else {
      console.print(text);
      console.line("record: " + record_.string());
    }
    return status;
  }

  std::string archive_;
  SubjectChoice choice_;
  SequenceChoice ends_;
  CommitRecipe recipe_;
  int buildSeconds_ = 3600, probes_ = 0;
  SearchOptions search_;
  bool fresh_ = false;
  double timeoutSeconds_ = 60, memoryGibibytes_ = 8;

  WorkerLimits limits_;
  Subject subject_;
  std::vector<BuildRecord> builds_;
  std::vector<SearchReport> searches_;
  bool localize_ = false;
  std::string reference_, localization_;
  nlohmann::json localizationJson_;
  fs::path record_;
};

}  // namespace

std::unique_ptr<Verb> makeBisectVerb() { return std::make_unique<BisectVerb>(); }

}  // namespace vintage
