#include "harness/bisect/session.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "golden/base/content_hash.h"
#include "golden/base/file.h"
#include "harness/bisect/archived_bisects.h"
#include "harness/bisect/drive.h"
#include "harness/bisect/localize_culprit.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr size_t kKeyCharacters = 16;
constexpr size_t kShownCommitCharacters = 12;
constexpr int kNothingRan = 4;

std::string summaryOf(const ProbeReport& answer) {
  if (!answer.answer.started) return "not started: " + answer.answer.problem;
  const auto passed = std::ranges::count(answer.answer.failures, "");
  const size_t all = answer.answer.failures.size();
  if (static_cast<size_t>(passed) == all) return "passes";
  return fmt::format("{}{}", failureKind(answer.outcome, answer.stage, answer.detail),
                     passed == 0 ? "" : fmt::format(", and passes {} of {} times", passed, all));
}

class BisectSession {
 public:
  BisectSession(const BisectOptions& options, Archive& archive, Subject subject,
                const std::function<void(const std::string&)>& note)
      : options_(options),
        archive_(archive),
        subject_(std::move(subject)),
        note_(note),
        run_(archive, subject_, options.commandLine, options.today) {}

  Result<BisectResult> run() {
    int status = kNothingRan;
    if (!overCommitsOnly()) RETURN_IF_ERROR(searchBuilds(status));
    if (goesOnOverCommits()) RETURN_IF_ERROR(searchCommits(status));
    return report(status);
  }

 private:
  const std::string& repository() const { return options_.commits.repository; }

  // --good and --bad are commits and no builds, or there are no builds.
  bool overCommitsOnly() const {
    if (repository().empty()) return false;
    if (chooseBuilds(archive_, subject_, options_.ends)) return false;
    for (const std::string& end : {options_.ends.good, options_.ends.bad})
      if (!end.empty() && !findCommit(repository(), end)) return false;
    return true;
  }

  bool goesOnOverCommits() const {
    if (repository().empty()) return false;
    if (searches_.empty()) return true;
    const SearchEnding verdict = searches_.back().conclusion.verdict;
    return verdict == SearchEnding::kFound || verdict == SearchEnding::kCandidates ||
           verdict == SearchEnding::kGaveUp || verdict == SearchEnding::kNoGood;
  }

  // `what` names the journal here, `everywhere` those of other archives.
  Result<Journal> openJournal(const std::string& what, const std::string& everywhere,
                              std::vector<SequenceMember> members) {
    const std::string key =
        contentHash(fmt::format("{}\n{}\n{}\n{}\n{}", subject_.record.id, subject_.record.golden,
                                subject_.platform, subject_.mode, what))
            .substr(0, kKeyCharacters);
    record_ = fs::path(archive_.folder()) / "bisect" / (key + ".json");
    const fs::path path = fs::path(record_).replace_extension("jsonl");
    ASSIGN_OR_RETURN(auto elsewhere, archivedJournals(archive_, subject_, everywhere));
    if (!options_.fresh) return Journal::open(path, std::move(members), elsewhere);
    std::error_code ignored;
    fs::remove(path, ignored);
    fs::remove_all(fs::path(record_).replace_extension("reduced"), ignored);
    auto journal = Journal::open(path, std::move(members));
    if (journal && !elsewhere.empty()) RETURN_IF_ERROR(journal->forgetUpTo(elsewhere.front().run));
    return journal;
  }

  // Runs whose outcomes add nothing to the journal: it holds them in more
  // detail, or they were forgotten.
  Result<std::set<std::string>> runsHeldOtherwise(const Journal& journal) const {
    std::set<std::string> runs = journal.runs();
    ASSIGN_OR_RETURN(auto elsewhere, archivedJournals(archive_, subject_, "builds"));
    for (const ArchivedJournal& one : elsewhere)
      if (one.run <= journal.forgottenUpTo()) runs.insert(one.run);
    return runs;
  }

  Status searchBuilds(int& status) {
    ASSIGN_OR_RETURN(auto sequence, chooseBuilds(archive_, subject_, options_.ends));
    ASSIGN_OR_RETURN(auto journal, openJournal("builds", "builds", sequence.members()));
    ASSIGN_OR_RETURN(auto others, runsHeldOtherwise(journal));
    ASSIGN_OR_RETURN(auto known, options_.fresh
                                     ? std::vector<Round>()
                                     : recordedOutcomes(archive_, subject_, sequence, others));
    BuildProbes probes(subject_, sequence.builds, options_.limits);
    SearchReport report;
    report.over = "builds";
    for (const BuildRecord& build : sequence.builds) {
      report.names.push_back(build.name);
      report.labels.push_back(build.name.find(formatDate(build.buildDate)) == std::string::npos
                                  ? fmt::format("{} of {}", build.name, formatDate(build.buildDate))
                                  : build.name);
    }
    builds_ = sequence.builds;
    const KeepProbe keep = [&](size_t position, const ProbeReport& answer) -> Result<std::string> {
      RETURN_IF_ERROR(run_.keepOutcome(builds_[position].name, answer));
      return run_.begin();
    };
    ASSIGN_OR_RETURN(
        status, search(sequence.problem, options_.search, known, probes, journal, keep, report));
    if (options_.localize && isFailure() && !goesOnOverCommits()) {
      const std::vector<SequenceMember> members = sequence.members();
      const auto consumer = [&](size_t position) {
        return LocalizedConsumer{members[position].identity,
                                 [this, position] { return startBuild(builds_[position]); }};
      };
      std::optional<LocalizedConsumer> good;
      if (const auto position = lastGood()) good = consumer(*position);
      localizeBetween(consumer(searches_.back().conclusion.candidates.back()), good, journal);
    }
    journals_["builds"] = journal.lines();
    return {};
  }

  Status searchCommits(int& status) {
    ASSIGN_OR_RETURN(auto range,
                     commitRange(options_.ends, repository(), builds_,
                                 searches_.empty() ? nullptr : &searches_.back().conclusion));
    ASSIGN_OR_RETURN(auto commits, commitsBetween(repository(), range.good, range.bad));
    ASSIGN_OR_RETURN(auto root, firstCommit(repository()));
    std::error_code ignored;
    const std::string here = "commits of " + fs::canonical(repository(), ignored).string();
    // Elsewhere the clone lies elsewhere.
    const std::string everywhere = "commits since " + root;
    const std::vector<SequenceMember> members = membersOf(commits, options_.commits);
    ASSIGN_OR_RETURN(auto journal, openJournal(here, everywhere, members));
    SearchProblem problem;
    problem.count = commits.size();
    problem.bad = commits.size() - 1;
    if (range.good) problem.good = 0;
    SearchOptions options = options_.search;
    // A commit costs a build: no looking around.
    options.spotCheckRounds = 0;
    options.allTransitions = false;
    SearchReport report;
    report.over = "commits";
    for (const Commit& commit : commits) {
      report.names.push_back(commit.id);
      report.labels.push_back(fmt::format("{} {} {} ({})",
                                          commit.id.substr(0, kShownCommitCharacters), commit.date,
                                          commit.subject, commit.author));
    }
    CommitProbes probes(subject_, commits, options_.commits,
                        fs::path(record_).replace_extension("checkouts"), options_.limits);
    // A commit is no build of the archive: its probes stand in the run's verdict.
    const KeepProbe keep = [&](size_t, const ProbeReport&) { return run_.begin(); };
    ASSIGN_OR_RETURN(auto searched, search(problem, options, {}, probes, journal, keep, report));
    status = searched;
    if (options_.localize && isFailure()) {
      const auto consumer = [&](size_t position, size_t slot) {
        const SequenceMember& member = members[position];
        return LocalizedConsumer{
            contentHash(member.name + "\n" + member.identity).substr(0, kKeyCharacters),
            [&probes, position, slot]() -> Result<std::vector<std::string>> {
              ASSIGN_OR_RETURN(auto built, probes.build(position, slot));
              if (built.problem) return failure(Error::Kind::kIo, built.problem->detail);
              return built.command;
            }};
      };
      std::optional<LocalizedConsumer> good;
      if (const auto position = lastGood()) good = consumer(*position, 1);
      localizeBetween(consumer(searches_.back().conclusion.candidates.back(), 0), good, journal);
    }
    journals_[everywhere] = journal.lines();
    return {};
  }

  Result<int> search(const SearchProblem& problem, const SearchOptions& options,
                     const std::vector<Round>& known, ProbeRunner& probes, Journal& journal,
                     const KeepProbe& keep, SearchReport report) {
    report.probesRemembered = journal.probesRemembered();
    SearchEvents events;
    events.roundBegins = [&](const Round& round, int number) {
      std::string names;
      for (size_t position : round.positions) names += " " + report.labels[position];
      note_(fmt::format("round {} ({}):{}", number, purposeName(round.purpose), names));
    };
    events.answered = [&](size_t position, const ProbeReport& answer) {
      note_(fmt::format("  {}: {}", report.labels[position], summaryOf(answer)));
    };
    ASSIGN_OR_RETURN(report.conclusion, driveSearch(problem, options, known, probes, journal, keep,
                                                    events, report.probesMade));
    for (size_t i = 0; i < report.names.size(); ++i) {
      const ProbeReport* last = journal.lastReport(i);
      report.lastDetail.push_back(last ? last->detail : "");
    }
    searches_.push_back(std::move(report));
    return exitStatus(searches_.back().conclusion, !options_.ends.good.empty(),
                      !options_.ends.bad.empty());
  }

  // There is something that fails, and a worker that shows it.
  bool isFailure() const {
    const SearchConclusion& found = searches_.back().conclusion;
    return !found.candidates.empty() && !found.kind.empty();
  }
  // The position before the candidates, where it is known to pass.
  std::optional<size_t> lastGood() const {
    const SearchConclusion& found = searches_.back().conclusion;
    if (found.verdict != SearchEnding::kFound && found.verdict != SearchEnding::kCandidates)
      return std::nullopt;
    return found.candidates.front() - 1;
  }

  Result<std::vector<std::string>> startBuild(const BuildRecord& build) const {
    auto host = makePosixProcessHost();
    ASSIGN_OR_RETURN(auto ready, readyToStart(build, *host));
    return ready.start->worker;
  }

  Result<LocalizedConsumer> referenceConsumer(std::optional<LocalizedConsumer> lastGood) const {
    if (options_.reference.empty() && lastGood) return *lastGood;
    if (options_.reference.empty() || options_.reference == "engine") {
      ASSIGN_OR_RETURN(auto worker, findWorkerProgram());
      ASSIGN_OR_RETURN(auto bytes, readFile(worker));
      return LocalizedConsumer{contentHash(bytes).substr(0, kKeyCharacters),
                               [command = std::vector<std::string>{worker.string()}]()
                                   -> Result<std::vector<std::string>> { return command; }};
    }
    ASSIGN_OR_RETURN(auto build, findBuild(archive_, options_.reference));
    return LocalizedConsumer{memberOf(build).identity, [this, build] { return startBuild(build); }};
  }

  void localizeBetween(const LocalizedConsumer& bad, std::optional<LocalizedConsumer> good,
                       Journal& journal) {
    auto reference = referenceConsumer(std::move(good));
    if (!reference) {
      culprit_.text = "cannot localize: " + reference.error().message;
      return;
    }
    note_("localizing: which operation's value differs first");
    culprit_ = localizeCulprit(subject_, bad, *reference, options_.limits, journal,
                               fs::path(record_).replace_extension("reduced"));
    // It is worth a run of its own where no probe was.
    if (!culprit_.remembered && !culprit_.details.is_null()) (void)run_.begin();
  }

  Result<BisectResult> report(int status) {
    BugReport bug;
    bug.subject = &subject_;
    bug.searches = searches_;
    bug.commandLine = options_.commandLine;
    bug.localization = culprit_.text;
    BisectResult result;
    result.exitStatus = status;
    result.text = describe(bug);
    result.recordPath = record_.string();
    result.record = {{"artifact", subject_.record.id},
                     {"name", subject_.record.name},
                     {"platform", subject_.platform},
                     {"mode", subject_.mode},
                     {"searches", nlohmann::json::array()},
                     {"text", result.text},
                     {"exit_status", status}};
    for (const SearchReport& search : searches_)
      result.record["searches"].push_back(toJson(search));
    if (!culprit_.details.is_null()) result.record["localization"] = culprit_.details;
    RETURN_IF_ERROR(writeTextFile(
        record_,
        result.record.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"));
    RETURN_IF_ERROR(run_.finish(journals_, result.record));
    return result;
  }

  const BisectOptions& options_;
  Archive& archive_;
  const Subject subject_;
  const std::function<void(const std::string&)>& note_;
  BisectRun run_;
  std::vector<BuildRecord> builds_;
  std::vector<SearchReport> searches_;
  std::map<std::string, nlohmann::json> journals_;
  CulpritOperation culprit_;
  fs::path record_;
};

}  // namespace

Result<BisectResult> bisect(const BisectOptions& options, Archive& archive,
                            const std::function<void(const std::string&)>& note) {
  SubjectChoice choice = options.choice;
  choice.build = options.ends.bad.empty() ? options.ends.good : options.ends.bad;
  ASSIGN_OR_RETURN(auto subject, loadSubject(archive, choice));
  return BisectSession(options, archive, std::move(subject), note).run();
}

}  // namespace vintage::harness
