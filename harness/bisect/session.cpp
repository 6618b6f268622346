#include "harness/bisect/session.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>

#include "golden/base/content_hash.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "harness/bisect/bisect_run.h"
#include "harness/bisect/localize_culprit.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {
using namespace archive;

namespace {

namespace fs = std::filesystem;

constexpr size_t kKeyCharacters = 16;
constexpr size_t kShownCommitCharacters = 12;
constexpr int kCannotTell = 3, kNothingRan = 4;

std::string summaryOf(const ProbeReport& answer) {
  if (!answer.answer.started) return "not started: " + answer.answer.problem;
  const std::vector<std::string> executions = answer.answer.executions();
  const auto passed = std::ranges::count(executions, "");
  const size_t all = executions.size();
  if (static_cast<size_t>(passed) == all) return "passes";
  const bool isWrong = isFailure(answer.outcome);
  return fmt::format(
      "{}{}", isWrong ? failureKind(answer.outcome, answer.stage, answer.detail) : answer.detail,
      passed == 0 ? "" : fmt::format(", and passes {} of {} times", passed, all));
}

// Records an answer in the archive, where others find it, and returns the archive's run; called
// before the journal records that it was asked.
using KeepProbe = std::function<Result<std::string>(size_t position, const ProbeReport& report)>;

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
    ASSIGN_OR_RETURN(const bool overCommits, overCommitsOnly());
    if (!overCommits) RETURN_IF_ERROR(searchBuilds(status));
    if (goesOnOverCommits()) RETURN_IF_ERROR(searchCommits(status));
    return report(status);
  }

 private:
  const std::string& repository() const { return options_.commits.repository; }

  // True if --good and --bad are commits and not builds, or if there are no builds.
  Result<bool> overCommitsOnly() const {
    if (repository().empty()) return false;
    const auto builds = chooseBuilds(archive_, subject_, options_.ends);
    if (builds) return false;
    for (const std::string& end : {options_.ends.good, options_.ends.bad})
      if (auto commit = end.empty() ? "" : findCommit(repository(), end); !commit)
        return failure(commit.error().kind,
                       fmt::format("{}; and {}", commit.error().message, builds.error().message));
    return true;
  }

  bool goesOnOverCommits() const {
    if (repository().empty()) return false;
    if (searches_.empty()) return true;
    const SearchEnding verdict = searches_.back().conclusion.verdict;
    return verdict == SearchEnding::kFound || verdict == SearchEnding::kCandidates ||
           verdict == SearchEnding::kGaveUp || verdict == SearchEnding::kNoGood;
  }

  // `what` names the journal here, `everywhere` its name in other archives.
  Result<Journal> openJournal(const std::string& what, const std::string& everywhere,
                              std::vector<SequenceMember> members, bool fresh) {
    const std::string key =
        contentHash(fmt::format("{}\n{}\n{}\n{}\n{}", subject_.record.id, subject_.record.golden,
                                subject_.platform, subject_.mode, what))
            .substr(0, kKeyCharacters);
    record_ = fs::path(archive_.folder()) / "bisect" / (key + ".json");
    const fs::path path = fs::path(record_).replace_extension("jsonl");
    ASSIGN_OR_RETURN(auto elsewhere, archivedJournals(archive_, subject_, everywhere));
    if (!fresh) return Journal::open(path, std::move(members), elsewhere);
    std::error_code ignored;
    fs::remove(path, ignored);
    fs::remove_all(fs::path(record_).replace_extension("reduced"), ignored);
    auto journal = Journal::open(path, std::move(members));
    if (journal && !elsewhere.empty()) RETURN_IF_ERROR(journal->forgetUpTo(elsewhere.front().run));
    return journal;
  }

  // Runs whose outcomes add nothing to the journal, because it holds them in more detail or they
  // were forgotten.
  Result<std::set<std::string>> runsHeldOtherwise(const Journal& journal) const {
    std::set<std::string> runs = journal.runs();
    ASSIGN_OR_RETURN(auto elsewhere, archivedJournals(archive_, subject_, "builds"));
    for (const ArchivedJournal& one : elsewhere)
      if (one.run <= journal.forgottenUpTo()) runs.insert(one.run);
    return runs;
  }

  Status searchBuilds(int& status) {
    ASSIGN_OR_RETURN(auto sequence, chooseBuilds(archive_, subject_, options_.ends));
    const BuildRecord* reference = nullptr;
    std::string what = "builds";
    if (const auto& speed = options_.speed) {
      if (!sequence.problem.good)
        return usageError("--good: name a release that is fast; the others are measured beside it");
      reference = &sequence.builds[*sequence.problem.good];
      what = fmt::format("builds whose {} is {} times that of {}", quantityName(speed->quantity),
                         speed->bound, reference->name);
    }
    ASSIGN_OR_RETURN(auto journal, openJournal(what, what, sequence.members(), options_.fresh));
    ASSIGN_OR_RETURN(auto others, runsHeldOtherwise(journal));
    // Recorded outcomes say whether it works, not how fast.
    ASSIGN_OR_RETURN(auto known, options_.fresh || reference
                                     ? std::vector<Round>()
                                     : recordedOutcomes(archive_, subject_, sequence, others));
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
      if (!reference) RETURN_IF_ERROR(run_.keepOutcome(builds_[position].name, answer));
      return run_.begin();
    };
    const ProbePosition probe = [&](size_t position, size_t,
                                    const ProbeEffort& effort) -> Result<ProbeReport> {
      if (reference)
        return probeSpeed(subject_, *reference, sequence.builds[position], *options_.speed, effort);
      return probeBuild(subject_, sequence.builds[position], effort, options_.limits);
    };
    RETURN_IF_ERROR(search(sequence.problem, options_.search, known, probe, journal, keep, report));
    status = exitStatus(searches_.back().conclusion, !options_.ends.good.empty(),
                        !options_.ends.bad.empty());
    const std::vector<SequenceMember> members = sequence.members();
    if (!goesOnOverCommits())
      localizeFailure(searches_.back(), journal, [&](size_t position, size_t) {
        return LocalizedConsumer{members[position].identity,
                                 [this, position] { return startBuild(builds_[position]); }};
      });
    journals_[what] = journal.lines();
    return {};
  }

  Status searchCommits(int& status) {
    ASSIGN_OR_RETURN(auto range,
                     commitRange(options_.ends, repository(), builds_,
                                 searches_.empty() ? nullptr : &searches_.back().conclusion));
    ASSIGN_OR_RETURN(auto root, firstCommit(repository()));
    std::error_code ignored;
    const std::string here = "commits of " + fs::canonical(repository(), ignored).string();
    // On other machines the clone has another path.
    const std::string everywhere = "commits since " + root;
    std::optional<CommitProbes> probes;
    const size_t first = searches_.size();
    ASSIGN_OR_RETURN(
        auto searched,
        searchHistory(
            repository(), range, [&](const HistorySearch& one) -> Result<SearchConclusion> {
              ASSIGN_OR_RETURN(auto journal, openJournal(here, everywhere,
                                                         membersOf(one.commits, options_.commits),
                                                         options_.fresh && one.mergedBy.empty()));
              if (!probes)
                probes.emplace(subject_, options_.commits,
                               fs::path(record_).replace_extension("checkouts"), options_.limits);
              RETURN_IF_ERROR(searchCommitsOf(one, *probes, journal));
              journals_[everywhere] = journal.lines();
              return searches_.back().conclusion;
            }));
    const std::span<SearchReport> reports = std::span(searches_).subspan(first);
    sayWhereBranchesPart(range, searched.front(), reports.front());
    tellOfMerges(searched, reports);
    const bool isGoodAsked = searched.front().commits.front().id == range.good;
    status = exitStatus(reports.front().conclusion, !options_.ends.good.empty() && isGoodAsked,
                        !options_.ends.bad.empty());
    // If a branch gives no answer, the culprit is either the merge or one of the branch's commits.
    if (reports.size() > 1 && !culpritOf(searched)) status = kCannotTell;
    return localizeCommit(searched, reports, here, everywhere, *probes);
  }

  Status searchCommitsOf(const HistorySearch& one, CommitProbes& probes, Journal& journal) {
    SearchProblem problem;
    problem.count = one.commits.size();
    problem.bad = one.commits.size() - 1;
    if (one.hasGoodEnd) problem.good = 0;
    SearchOptions options = options_.search;
    // A commit costs a build: no spot checks.
    options.spotCheckRounds = 0;
    options.allTransitions = false;
    SearchReport report;
    report.over = "commits";
    for (const Commit& commit : one.commits) {
      report.names.push_back(commit.id);
      report.labels.push_back(fmt::format("{} {} {} ({})",
                                          commit.id.substr(0, kShownCommitCharacters), commit.date,
                                          commit.subject, commit.author));
    }
    const ProbePosition probe = [&](size_t position, size_t slot, const ProbeEffort& effort) {
      return probes.probe(one.commits[position].id, slot, effort);
    };
    // A commit is not a build of the archive: the run's verdict holds its probes.
    const KeepProbe keep = [&](size_t, const ProbeReport&) { return run_.begin(); };
    return search(problem, options, {}, probe, journal, keep, report);
  }

  static void sayWhereBranchesPart(const CommitRange& range, const HistorySearch& search,
                                   SearchReport& report) {
    if (!range.good || !search.hasGoodEnd || search.commits.front().id == *range.good) return;
    report.remark = fmt::format(
        "the good commit {} is on another branch; the search begins where they part, at {}",
        *range.good, report.labels.front());
    if (report.conclusion.verdict == SearchEnding::kGoodEndFails)
      report.remark += fmt::format(
          "\nit failed there already: it was fixed on the way to {}, and did not break on the way "
          "to {}",
          *range.good, range.bad);
  }

  // Adds the result of each parent for each culprit that is a merge.
  static void tellOfMerges(const std::vector<HistorySearch>& searched,
                           std::span<SearchReport> reports) {
    for (size_t i = 0; i < searched.size(); ++i) {
      if (searched[i].conclusion.verdict != SearchEnding::kFound) continue;
      const Commit& culprit = searched[i].commits[searched[i].conclusion.candidates.front()];
      if (culprit.parents.size() < 2) continue;
      bool isMergeItself = true;
      reports[i].merge = nlohmann::json::array();
      std::string& text = reports[i].remark;
      if (!text.empty()) text += "\n";
      text += "it is a merge; its parents:";
      for (const std::string& parent : culprit.parents) {
        std::string gave = "not asked";
        if (parent == culprit.parents.front()) gave = "passes";
        for (size_t branch = i + 1; branch < searched.size(); ++branch)
          if (searched[branch].mergedBy == culprit.id &&
              searched[branch].commits.back().id == parent) {
            gave = endingAt(searched[branch].conclusion);
            isMergeItself &= gave == "passes";
          }
        reports[i].merge.push_back({{"commit", parent}, {"gave", gave}});
        text += fmt::format("\n  {} {}", parent, gave);
      }
      text += isMergeItself ? "\nthe fault came in with the merge itself"
                            : "\nthe fault came in on a branch that it merged";
    }
  }

  static std::string endingAt(const SearchConclusion& conclusion) {
    if (conclusion.verdict == SearchEnding::kDoesNotFail) return "passes";
    return conclusion.kind.empty() ? "gives no answer" : "fails";
  }

  // The culprit on the innermost branch, with the commit before it.
  Status localizeCommit(const std::vector<HistorySearch>& searched,
                        std::span<const SearchReport> reports, const std::string& here,
                        const std::string& everywhere, CommitProbes& probes) {
    size_t last = searched.size() - 1;
    while (last > 0 && reports[last].conclusion.verdict == SearchEnding::kDoesNotFail) --last;
    const std::vector<SequenceMember> members = membersOf(searched[last].commits, options_.commits);
    ASSIGN_OR_RETURN(auto journal, openJournal(here, everywhere, members, false));
    localizeFailure(reports[last], journal, [&](size_t position, size_t slot) {
      const SequenceMember& member = members[position];
      return LocalizedConsumer{
          contentHash(member.name + "\n" + member.identity).substr(0, kKeyCharacters),
          [&probes, commit = member.name, slot]() -> Result<std::vector<std::string>> {
            ASSIGN_OR_RETURN(auto built, probes.build(commit, slot));
            if (built.problem) return failure(Error::Kind::kIo, built.problem->detail);
            return built.command;
          }};
    });
    journals_[everywhere] = journal.lines();
    return {};
  }

  // Asks the questions of nextStep(), records every answer before the next question, and continues
  // an interrupted search. `known`: the outcomes of other runs.
  Result<SearchConclusion> drive(const SearchProblem& problem, const SearchOptions& options,
                                 const std::vector<Round>& known, const ProbePosition& probe,
                                 Journal& journal, const KeepProbe& keep, SearchReport& report) {
    const auto ask = [&](const Round& round, const std::vector<size_t>& positions) {
      const auto number = std::ranges::count_if(journal.history(), [](const Round& one) {
        return one.purpose != RoundPurpose::kKnown && one.purpose != RoundPurpose::kEarlier;
      });
      std::string names;
      for (size_t position : round.positions) names += " " + report.labels[position];
      note_(fmt::format("round {} ({}):{}", number, purposeName(round.purpose), names));
      return probeAtOnce(
          positions, round.effort, probe,
          [&](size_t position, const ProbeReport& answer) -> Status {
            ++report.probesMade;
            ASSIGN_OR_RETURN(auto run, keep(position, answer));
            RETURN_IF_ERROR(journal.record(position, answer, run));
            note_(fmt::format("  {}: {}", report.labels[position], summaryOf(answer)));
            return {};
          });
    };
    if (!journal.history().empty())
      if (const Round last = journal.history().back(); !last.complete()) {
        std::vector<size_t> unanswered = last.positions;  // By a run that was killed.
        std::erase_if(unanswered, [&](size_t one) { return last.answers.contains(one); });
        RETURN_IF_ERROR(ask(last, unanswered));
      }
    for (;;) {
      std::vector<Round> history = known;
      history.insert(history.end(), journal.history().begin(), journal.history().end());
      auto step = nextStep(problem, options, history);
      if (auto* conclusion = std::get_if<SearchConclusion>(&step)) return std::move(*conclusion);
      const Round& round = std::get<Round>(step);
      RETURN_IF_ERROR(journal.beginRound(round));
      RETURN_IF_ERROR(ask(round, round.positions));
    }
  }

  Status search(const SearchProblem& problem, const SearchOptions& options,
                const std::vector<Round>& known, const ProbePosition& probe, Journal& journal,
                const KeepProbe& keep, SearchReport report) {
    report.probesRemembered = journal.probesRemembered();
    ASSIGN_OR_RETURN(report.conclusion,
                     drive(problem, options, known, probe, journal, keep, report));
    for (size_t i = 0; i < report.names.size(); ++i) {
      const ProbeReport* last = journal.lastReport(i);
      const bool isAsked = last || i >= problem.untestable.size() || !problem.untestable[i];
      report.lastDetail.push_back(last      ? last->detail
                                  : isAsked ? ""
                                            : "it cannot be started here ('vintage builds' lists "
                                              "those that can)");
    }
    searches_.push_back(std::move(report));
    return {};
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

  // If there is a failure, and a worker that shows it. `consumer` returns the consumer of a
  // position, in one of two slots.
  void localizeFailure(
      const SearchReport& report, Journal& journal,
      const std::function<LocalizedConsumer(size_t position, size_t slot)>& consumer) {
    const SearchConclusion& found = report.conclusion;
    if (!options_.localize || found.candidates.empty() || found.kind.empty()) return;
    const LocalizedConsumer bad = consumer(found.candidates.back(), 0);
    std::optional<LocalizedConsumer> good;  // The position before the candidates, where it passes.
    std::string against = options_.reference.empty() ? "engine" : options_.reference;
    if (found.verdict == SearchEnding::kFound || found.verdict == SearchEnding::kCandidates) {
      good = consumer(found.candidates.front() - 1, 1);
      if (options_.reference.empty()) against = report.names[found.candidates.front() - 1];
    }
    auto reference = referenceConsumer(std::move(good));
    if (!reference) {
      culprit_.text = "cannot localize: " + reference.error().message;
      return;
    }
    note_(options_.speed ? "localizing the smallest part that shows it"
                         : "localizing the first operation whose value differs");
    culprit_ = localizeCulprit(subject_, bad, *reference, options_.limits, options_.speed, journal,
                               fs::path(record_).replace_extension("reduced"));
    const std::string& failing = report.names[found.candidates.back()];
    culprit_.text = fmt::format("localized: {} against {}\n{}", failing, against, culprit_.text);
    if (!culprit_.details.is_null())
      culprit_.details["compared"] = {{"failing", failing}, {"reference", against}};
    // A result deserves a run of its own even if nothing was probed.
    if (!culprit_.remembered && !culprit_.details.is_null()) (void)run_.begin();
  }

  Result<BisectResult> report(int status) {
    BisectResult result;
    result.exitStatus = status;
    result.text = bugReport(subject_, searches_, culprit_.text, options_.commandLine);
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
