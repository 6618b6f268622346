#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "archive/records/window_policy.h"
#include "golden/base/failures.h"
#include "golden/base/file.h"
#include "golden/base/strict_json.h"
#include "golden/base/visible_text.h"
#include "harness/command/described_releases.h"
#include "harness/command/gate_measures.h"
#include "harness/command/speed_option.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/gate/gate_report.h"
#include "harness/gate/history.h"
#include "harness/runtimes/builds/builds.h"
#include "harness/runtimes/builds/kept_program.h"

namespace vintage::harness {
using namespace archive;
using namespace reports;

namespace {

constexpr std::chrono::days kWaivedFor{30};

class GateVerb final : public Verb {
 public:
  GateVerb()
      : Verb("gate",
             "Judge a change of a runtime: whether it is legal today, what it breaks, and when it "
             "becomes legal",
             "vintage-worker --describe > old.json    # and the changed one's: new.json\n"
             "  vintage gate --old old.json --new new.json --archive A --today 2026-11-20\n"
             "  vintage gate --history changes.json --versions exported_format.json \\\n"
             "      --release-dates releases.json --archive A\n"
             "  vintage gate --releases 0.4.30..0.12 --archive A\n"
             "  vintage gate --facts facts --measure --archive A -o releases.md\n"
             "  vintage gate --old jax-0.12.0 --new python:.venv/bin/python --archive A\n"
             "Exit status here: 0 allowed, 1 forbidden, 5 needs review, 3 cannot tell.") {}
  void addOptions(CLI::App& app) override {
    auto* before =
        app.add_option("--old", before_,
                       "The description of the runtime as it is (JSON), or a build of the archive");
    auto* after = app.add_option("--new", after_,
                                 "The description of the changed runtime (JSON), a build, or "
                                 "python:PATH: what the JAX of that interpreter is");
    auto* history = app.add_option(
        "--history", history_,
        "Judge the changes of a list of guaranteed targets instead, one by one (JSON)");
    auto* versions = app.add_option("--versions", versions_,
                                    "Judge the past of calling-convention and serialization "
                                    "versions (JSON), with the releases");
    before->needs(after);
    after->needs(before);
    history->excludes(before)->excludes(after);
    versions->excludes(before)->excludes(after);
    app.add_option("--archive", archive_,
                   "The archive whose artifacts must keep running; needed, unless --releases or "
                   "--facts stand alone");
    app.add_flag(
        "--measure", measure_,
        "Have releases of JAX export what findings say breaks, and run it where it is said "
        "to; the archive keeps both, and is created if missing");
    app.add_option("--root", root_, "With --measure: where environments for releases are kept")
        ->needs("--measure");
    app.add_option("--policy", policy_,
                   "The promises: jax, stablehlo, or a file (docs/reference/window.md)")
        ->capture_default_str();
    speed_.addTo(
        app,
        "Also measure NEW beside OLD, both builds that can be started here, on a sample of "
        "the window's artifacts (docs/reference/speed.md); the archive keeps the measurements");
    run_.addTo(app);
    app.add_option("--release-dates", releaseDates_,
                   "Releases with their dates (JSON), beside the builds that the archive knows");
    releases_.addTo(app, "alone, judge each against the one before it");
    app.add_option("-o,--out", out_,
                   "Write what --releases or --facts alone finds to this file, as a page")
        ->excludes(before)
        ->excludes(history)
        ->excludes(versions);
    app.add_option("--waivers", waivers_,
                   "Waivers: accepted findings with reason and expiry (JSON)");
    app.add_option("--write-waivers", writeWaivers_,
                   "Write waivers of what this shows to this file, for 30 days; a person fills in "
                   "the reasons");
    app.add_option("--sarif", sarif_, "Write SARIF 2.1.0 to this file");
    app.add_option("--junit", junit_, "Write JUnit XML to this file");
    app.add_option("--github-annotations", github_,
                   "Write GitHub workflow commands to this file; -: print them");
    app.add_option("--gitlab-code-quality", gitlab_,
                   "Write GitLab's Code Quality report to this file");
    app.add_flag("--rules", listRules_, "Print the rules, as the page docs/gate/README.md");
  }

  Result<int> run(Console& console) override {
    if (listRules_) return listRules(console);
    const bool past = !history_.empty() || !versions_.empty();
    if (!past && before_.empty() && releases_.given()) return judgeAll(console);
    if (!past && before_.empty())
      return usageError(
          "give --old and --new, --history or --versions, --releases FROM..TO, or --facts FOLDER");
    if (speed_.given() && past) return usageError("--speed measures two builds: --old and --new");
    if (archive_.empty()) return usageError("give the --archive whose artifacts must keep running");
    ASSIGN_OR_RETURN(auto archive, Archive::open(archive_, measure_ || speed_.given()
                                                               ? Archive::Mode::kReadWrite
                                                               : Archive::Mode::kReadOnly));
    ASSIGN_OR_RETURN(auto builds, knownBuilds(archive));
    auto facts = archivedFacts(archive);
    return past ? judgePast(*facts, builds, console)
                : judgeChange(archive, *facts, std::move(builds), console);
  }

 private:
  static Result<int> listRules(Console& console) {
    nlohmann::json list = nlohmann::json::array();
    for (const Rule& rule : gateRules())
      list.push_back({{"id", rule.id},
                      {"severity", gateResultName(rule.severity)},
                      {"summary", rule.summary},
                      {"source", rule.source},
                      {"page", rule.page()}});
    console.answer(list, ruleIndex());
    return kExitHolds;
  }

  Result<std::vector<RuntimeDescription>> knownBuilds(const Archive& archive) const {
    ASSIGN_OR_RETURN(auto kept, ownBuilds(archive));
    ASSIGN_OR_RETURN(auto out, parseFile(releaseDates_, parseReleases));
    ASSIGN_OR_RETURN(auto described, releases_.read(&archive));
    std::set<std::string> names;
    for (const RuntimeDescription& release : described) names.insert(release.name);
    std::ranges::move(described, std::back_inserter(out));
    for (const BuildRecord& build : kept)
      if (!build.details.runtime || !names.contains(build.details.runtime->name))
        out.push_back(knownBuild(build));
    sortByDate(out);
    return out;
  }

  static int exitStatusOf(GateResult result) {
    constexpr int kStatuses[] = {kExitHolds, kExitNeedsReview, kExitDoesNotHold};
    return kStatuses[static_cast<size_t>(result)];
  }

  Result<JudgedReleases> judgeKnown(const Archive* archive) const {
    ASSIGN_OR_RETURN(auto releases, releases_.read(archive));
    if (archive == nullptr) {
      ArchivedFacts none;
      return judgeReleases(std::move(releases), none, {});
    }
    ASSIGN_OR_RETURN(const auto registeredAs, registeredRuntimes(*archive));
    return judgeReleases(std::move(releases), *archivedFacts(*archive), registeredAs);
  }

  // Tries what the findings state, with the releases that they name: the archive has the outcomes
  // then. Releases and artifacts that are not available are printed.
  Status measure(const std::vector<Finding>& findings,
                 const std::vector<RuntimeDescription>& releases, Archive& archive,
                 Console& console) const {
    auto host = makePosixProcessHost();
    HistoryRequest request;
    request.releases.root = root_;
    request.today = currentDate();
    request.replay = run_.replayOptions(archive_);
    request.commandLine = commandLine;
    ASSIGN_OR_RETURN(const auto problems,
                     exportAndRun(whatWouldShow(findings, releases), request, archive, *host,
                                  std::bind_front(&Console::step, &console)));
    for (const std::string& problem : problems) console.note(problem);
    return {};
  }

  Result<int> judgeAll(Console& console) const {
    std::optional<Archive> archive;
    if (!archive_.empty()) {
      ASSIGN_OR_RETURN(archive, Archive::open(archive_, measure_ ? Archive::Mode::kCreate
                                                                 : Archive::Mode::kReadOnly));
    } else if (measure_) {
      return usageError("--measure needs the --archive that keeps what is exported and run");
    }
    ASSIGN_OR_RETURN(auto judged, judgeKnown(archive ? &*archive : nullptr));
    if (measure_) {
      std::vector<Finding> findings;
      for (const JudgedRelease& step : judged.steps)
        findings.insert(findings.end(), step.verdict.findings.begin(), step.verdict.findings.end());
      RETURN_IF_ERROR(measure(findings, judged.releases, *archive, console));
      ASSIGN_OR_RETURN(judged, judgeKnown(&*archive));
    }
    if (!out_.empty())
      RETURN_IF_ERROR(writeTextFile(
          out_, releasesPage(judged, fmt::format("vintage gate {}{}", releases_.typed(),
                                                 measure_ ? " --measure --archive A" : ""))));
    console.answer(releasesJson(judged), releasesText(judged));
    return exitStatusOf(judged.result());
  }

  Result<int> judgeChange(Archive& archive, ArchivedFacts& facts,
                          std::vector<RuntimeDescription> builds, Console& console) const {
    GateFiles files{before_, after_, "", ""};
    Change change;
    for (auto [path, text, description] : {std::tuple{&before_, &files.beforeText, &change.before},
                                           {&after_, &files.afterText, &change.after}}) {
      ASSIGN_OR_RETURN(*description, describedRuntime(*path, &archive, run_.today(), console));
      if (!std::filesystem::exists(*path)) continue;
      ASSIGN_OR_RETURN(*text, readTextFile(*path));
    }
    ASSIGN_OR_RETURN(const auto waivers, parseFile(waivers_, parseWaivers));
    // A release was built; what is none yet is built today.
    change.clock = run_.today();
    const bool isRelease = change.after.emission.known() && !run_.todayGiven();
    change.today = isRelease ? change.after.day() : run_.today();
    RETURN_IF_ERROR(checkEnds(change));
    change.builds = std::move(builds);
    change.archive = &facts;
    ASSIGN_OR_RETURN(change.policy, within("--policy", readPolicy(policy_)));
    ASSIGN_OR_RETURN(change.registeredAs, registeredRuntimes(archive));
    if (speed_.given()) {
      ASSIGN_OR_RETURN(change.speed, speedOf(change, archive, console));
    }
    ASSIGN_OR_RETURN(auto verdict, judge(change, waivers));
    const auto measured = archivedFacts(archive);
    if (measure_) {
      RETURN_IF_ERROR(measure(verdict.findings, {change.before, change.after}, archive, console));
      change.archive = measured.get();
      ASSIGN_OR_RETURN(change.registeredAs, registeredRuntimes(archive));
      ASSIGN_OR_RETURN(verdict, judge(change, waivers));
    }
    RETURN_IF_ERROR(writeReports(gateRuleReport(change, verdict, files), console));
    if (!writeWaivers_.empty())
      RETURN_IF_ERROR(writeTextFile(
          writeWaivers_, waiversFor(verdict.findings, *change.clock + kWaivedFor).dump(2) + "\n"));
    console.answer(gateJson(change, verdict), gateText(change, verdict));
    return exitStatusOf(verdict.result);
  }

  Result<JudgedSpeed> speedOf(const Change& change, Archive& archive, Console& console) const {
    auto host = makePosixProcessHost();
    GateEnds ends;
    for (const auto& [name, build] : {std::pair{&before_, &ends.before}, {&after_, &ends.after}}) {
      if (std::filesystem::exists(*name) || name->starts_with("python:"))
        return usageError(
            "--speed: {} is no build of the archive; register both ends with how they are started "
            "('vintage builds add') and name them",
            *name);
      ASSIGN_OR_RETURN(*build, findBuild(archive, *name));
      RETURN_IF_ERROR(within("--speed", readyToStart(*build, *host)));
    }
    const ReplayOptions limits = run_.replayOptions(archive_);
    const SpeedPromise& promise = change.policy.speed;
    SpeedChoice choice{promise, change.today, archive_, speed_.options(promise, limits),
                       false,   commandLine};
    return measureEnds(ends, change, choice, archive, *host,
                       std::bind_front(&Console::progress, &console));
  }

  // Fails if there is no change between them at all.
  Status checkEnds(const Change& change) const {
    const RuntimeDescription &before = change.before, &after = change.after;
    if (before_ == after_)
      return usageError("--old and --new are both {}: there is no change to judge", before_);
    const bool released = before.released && after.released;
    const Date newDay = released ? after.day() : change.today;
    const Date oldDay = released ? before.day() : before.buildDate;
    if (oldDay > newDay)
      return usageError("{} of {} is later than {}; did you swap --old and --new?", before_,
                        formatDate(oldDay), formatDate(newDay));
    if (released && !isOneProduct(before, after))
      return usageError(
          "--old is {}, and --new is {}: these are two products; name two builds of one",
          before.name, after.name);
    return {};
  }

  Status writeReports(const RuleReport& report, Console& console) const {
    for (const auto& [path, text] :
         {std::pair{&sarif_, &sarif},
          {&junit_, static_cast<std::string (*)(const RuleReport&)>(&junitXml)},
          {&github_, &githubAnnotations},
          {&gitlab_, &gitlabCodeQuality}}) {
      if (path->empty()) continue;
      if (path == &github_ && *path == "-") {
        console.print(text(report));
        continue;
      }
      RETURN_IF_ERROR(writeTextFile(*path, visible(text(report))));
    }
    return {};
  }

  Result<int> judgePast(ArchivedFacts& facts, const std::vector<RuntimeDescription>& builds,
                        Console& console) const {
    JudgedHistory judged;
    ASSIGN_OR_RETURN(const auto changes, parseFile(history_, parseListHistory));
    ASSIGN_OR_RETURN(judged.list, judgeHistory(changes, builds, facts));
    if (!versions_.empty()) {
      ASSIGN_OR_RETURN(const auto format, parseFile(versions_, parseFormatFacts));
      ASSIGN_OR_RETURN(judged.versions, judgeVersionHistory(format, builds, facts));
    }
    console.answer(historyJson(judged), historyText(judged));
    return exitStatusOf(std::max(worstOf(judged.list), worstOf(judged.versions)));
  }

  std::string before_, after_, history_, versions_, archive_, releaseDates_, waivers_, root_;
  std::string writeWaivers_, policy_ = "jax";
  std::string out_, sarif_, junit_, github_, gitlab_;
  DescribedReleasesOptions releases_;
  RunOptionsOfVerb run_;
  SpeedOption speed_;
  bool listRules_ = false, measure_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeGateVerb() { return std::make_unique<GateVerb>(); }

}  // namespace vintage::harness
